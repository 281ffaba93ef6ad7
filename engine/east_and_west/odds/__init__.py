"""How a battle will end, without any board.

    ranks         a side of a battle with its hits in order
    rounds        the rounds of a battle, computed or thrown
    calculator    every outcome with its probability

May import battle and data.
"""
