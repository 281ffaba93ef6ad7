"""Verbs of moves, battles and standing orders; those of the other phases are in course.

    moves        `move` and `attack`
    shipping     `load` and `land`
    aircraft     `drop`, `raid` and `fly-bomb`
    strikes      `strike`: declaring atomic attacks
    plans        `plan`: how an attack of the own turn is to be fought
    standing     `standing`: decisions that fall in somebody else's turn
    futile       plans and standing orders that could never have an effect, and why
    hosting      `host`: whether the units of an ally may come on board
    questions    the question at hand, and that it has been answered
    losses       `lose`: who takes the hits
    answers      the other answers: `stay`, `submerge`, `retreat`, `fight`, `target`, `share`
    done         `done`: the end of a stop, with all its dice

May import combat, course, movement, reach, and what lies below them.
"""
