"""The face of the site: how it greets people, and how they like it to look.

    home        the first page: a board, the ways in, the games; inviting a friend
    showcase    the pictures on it
    looks       light, dark, or as the device is: the switch at the top of every page

May import the rooms `public` and `shared` of the pages, and services; no database.
"""
