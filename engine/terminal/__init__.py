"""The games in a terminal: hot seat, rehearsals, audits."""
