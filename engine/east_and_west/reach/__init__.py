"""Where units can go, and why not. Questions only: nothing here changes a match.

    terrain         the board as the power at turn sees it: what is open, blocked, hostile to it
    routes          ways over the board: on what terms, how far, by which spaces
    obstacles       what lies in the way of a move that would otherwise not be too far
    decks           room for aircraft on carriers
    landing         where aircraft may land, and whether all of them can
    context         what every question about a move is asked of: terrain, who can move, landing
    destinations    where units can go, by which way, and why not

May import state, board, queries and data.
"""
