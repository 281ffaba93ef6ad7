"""Turns and matches for programs, as JSON.

    routes     the addresses under /api/v1/
    openapi    the interface, described

May import the rooms `player`, `public` and `shared` of the pages, and services; no database.
"""
