"""The face of the site: how it greets people, and how they like it to look.

    looks    light, dark, or as the device is: the switch at the top of every page

May import the rooms `public` and `shared` of the pages, and services; no database.
"""
