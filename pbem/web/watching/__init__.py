"""Watching: matches to see, who plays, matches played again, and how they are shown elsewhere.

    lists        running and finished matches, with a picture of each
    rounds       how far the matches of a list have come
    players      players' pages: results, head to head, pace
    replay       a match played again on one page
    step_page    one step of a match, by links from the first to the last
    frames       boards, hands and what was told, step by step or turn by turn
    eyes         with whose eyes a match is looked back on
    differences  boards written down as what differs from one to the next
    sharing      matches on other sites: a picture for links, a page to be framed
    poster       the drawing of that picture

May import the rooms `public` and `shared` of the pages, services, and `pbem.mail.pictures`; no
database.
"""
