"""Rules of the games: no clock, no store, no web, no chance of their own."""
