"""Numbered steps from one shape of the tables to the next; each carries its own frozen tables.

Imports nothing of this service: a step stays as it was when the tables move on.
"""
