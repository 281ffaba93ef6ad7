"""Watching: which matches there are to see.

    lists    running and finished matches, with a picture of each

May import the rooms `public` and `shared` of the pages, and services; no database.
"""
