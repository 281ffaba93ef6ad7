"""Watching: which matches there are to see, and who plays.

    lists      running and finished matches, with a picture of each
    players    players' pages: results, head to head, pace

May import the rooms `public` and `shared` of the pages, and services; no database.
"""
