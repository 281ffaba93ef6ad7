"""Pages behind the links of letters to players.

    turn_page    a turn: orders composed and sent
    sheet_page   the order sheet of a turn: forms of a game beside its map
    accounts     what was told on the page of a turn, each battle to be unfolded
    practice     a match against the computer: remarks, waiting for it, an address left to keep it
    order_page   the link of one order: shown in words, played by one button
    turn_word    the word of a letter, asked for in front of all forms
    seat_page    a seat: messages, standing orders, and the rare acts
    asking_page  what a seat asks of the others: a rematch, a move back
    allies_page  what allies let each other see
    way_back     the way back for a player whom letters do not reach
    inviting     seats that are still free before a match begins, for whoever has begun it
    away         seats lent and given up, pauses, the question to a stand-in, booked absences
    reply_page   whether a reply was the player's own, asked by letter
    leaving      whether a seat shall really be lent or given up, asked by letter

May import the rooms `public` and `shared` of the pages, and services; no database.
"""
