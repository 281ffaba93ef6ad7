"""A database of the previous release, with links that it has mailed.

`previous.sqlite.sql` and `previous.postgres.sql` were written by the code of migration 0022: Ann
and Bob play one match and have begun another. `letters.json` has links of its letters. They are not
made anew: the code that made them is in the history.
"""
