"""Pages for everybody.

    lobby          starting a match, confirming an address, taking a seat
    try_machine    a match against the computer, begun by one button
    match_form     the form that starts a match: what it offers, and what was typed into it
    match_page     the public page of a match, its history, its file when it is over
    looking_back   its turns, the board after each, its battles and figures over time
    pictures       boards as pictures, kept for a while
    line_chart     small line charts as SVG
    rules          the rules of each game, as this server plays them
    rules_html     their text with anchors, contents and pictures
    rules_search   words found and marked in them
    verify         a finished match checked against its revealed secret
    feeds          a player's deadlines as a calendar, a match as a feed
    health         for machines: does this server work, and how much has it to do
    dev_mailbox    while developing: the letters this server would have sent

May import the room `shared` of the pages, and services; no database.
"""
