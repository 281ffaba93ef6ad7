"""The order sheet: a turn as forms to fill in, which become the same orders that can be typed.

    assembly      the whole sheet of a seat, and the orders that a filled form stands for
    stages        the checklist of a turn: what belongs to which stop, and which is shown
    ahead         orders for a later stop: the board as it may be then, and where they wait
    intelligence  spies and research
    supply        purchases and placement
    moves         combat and non-combat moves by origin, units and target
    crossings     over the sea and by air: ships with their load, paratroops, raids, bombs
    battles       planned battles as cards, with their plans; questions in the middle of one
    standing      standing orders, and what allies agree on
    outlook       how planned battles will end, and the last one would have, in words
    paper         forms as they are built and read
    desk          what a sheet is made from: the match as one power sees it

Whatever is shown or composed sees nothing but what its power may know. May import orders, verbs,
combat, odds, and what lies below them.
"""
