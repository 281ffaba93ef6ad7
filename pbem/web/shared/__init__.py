"""What several pages need.

    link_access    whoever opens a signed link: which seat it belongs to, in whose language
    context        the settings, the links, the time, and the language spoken
    rule_links     refusals with a link to the rule they rest on
    option_tree    options level by level, as links and buttons
    board_view     a view as a picture, as text and in sentences
    map_view       a map, the whole or a part of it, with links to the other parts
    draft_view     drafts: orders composed so far, in words
    match_text     what pages tell of a match: who plays, what happened, how it ended
    match_terms    what a match is played for: game, options, time, players, fairness
    public_log     what spectators may notice of a match, kept from one page to the next
    device         the cookie of a browser, set when somebody takes a seat, and what it leads on to
    headers        what every answer carries
    request_counts  how many requests came, by pages and status, and how long they took
    shortcuts      where a request goes around Flask and Werkzeug, and what that saves

May import services; no other room of the pages, and no database.
"""
