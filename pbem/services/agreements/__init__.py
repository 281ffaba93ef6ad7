"""What players settle among themselves, without a moderator.

    rematches      a match that is over is played once more, with the sides swapped
    takebacks      a seat asks to take its last move back, and the others answer
    exposure       what players have learnt that a rewind cannot undo, as numbers and kinds
    open_matches   matches that wait for players: withdrawn by their hosts, or lapsed

May import match, seats, time, players and records.
"""
