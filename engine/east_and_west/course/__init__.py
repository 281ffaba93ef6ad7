"""The course of a match outside moves and battles, with the verbs of these phases.

    setup           the board as it stands before the first order
    turns           the beginning of a turn, the end of each stop, the next turn
    mobilisation    what the USSR makes of the money for its mobilisation
    espionage       spies and their three jobs
    research        research, and half steps that allies give each other
    production      buying, and the repair of battleships
    placement       what was bought is put on the board
    income          the income at the end of a turn
    treasury        money that is spent
    neutrals        whom neutrals favour, who may stay, whom they join
    surrender       giving up
    victory         how a match ends

May import movement, and what lies below it.
"""
