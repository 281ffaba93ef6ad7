"""Watching: which matches there are to see, who plays, and how they are shown elsewhere.

    lists      running and finished matches, with a picture of each
    rounds     how far the matches of a list have come
    players    players' pages: results, head to head, pace
    sharing    matches on other sites: a picture for links, a page to be framed
    poster     the drawing of that picture

May import the rooms `public` and `shared` of the pages, services, and `pbem.mail.pictures`; no
database.
"""
