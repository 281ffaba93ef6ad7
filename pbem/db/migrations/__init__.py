"""Numbered steps from one shape of the tables to the next; each carries its own frozen tables."""
