"""Iron Curtain, a duel of cards and cubes.

    game               the game behind the protocol
    state              all there is to know of a match
    view               what one seat may know of it
    secrecy            from one to the other, and back by imagining what is hidden
    board              what lies open: countries, questions, the variant agreed on
    deck               the cards with their numbers and names (cards.toml)
    grid               the cells that cards lie on
    layout             where the cards lie: what touches, what is open; sets of cards as numbers
    table              the cubes on them: what each side holds, leads, locks and reaches
    actions            orders and their notation
    options            the orders a seat may choose from, word by word
    orders             the same orders, all at once and without words
    rules              the setup, and what each order does
    pieces             orders that move cubes and cards
    course             what follows by itself: effects, turns, rounds, the end
    events             what the event of a card may do, and which steps are legal
    scoring            points counted
    tally              points told, and the victory that may follow
    standing_orders    what a side says in advance
    in_advance         how that is given and obeyed
    changes            small changes of a state, and the telling of a step
    check              what is wrong with a state
    prospect           how good a position looks, for sparring
    strengths          how strong the computer plays
    draw               what people see

Imports the engine's core and no other game. It is flat on purpose, see DECISIONS.md.
"""
