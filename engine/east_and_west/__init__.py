"""East & West: four powers, 190 spaces, dice.

The rooms, top to bottom; each imports only rooms and modules below it:

    game        East & West behind the Game protocol
    briefing    what a letter says instead of the whole world
    bot         the stand-in player
    sheet       the order sheet: a turn as forms to fill in
    check       what can be wrong with a state
    orders      reading, offering and carrying out orders; the registry of verbs
    verbs       one module per verb or family of verbs of moves, battles and standing orders
    combat      battles, and atomic attacks
    course      the turn outside moves and battles: setup, money, research, spies, neutrals, the end
    movement    units on their way, and what becomes of them
    reach       where units can go, and why not: questions only, nothing changes
    odds        how a battle will end
    draw        a view as text, HTML, SVG and sentences; it never sees a state
    report      how battles are told
    secrecy     what one seat may know: from a state to its view, and back
    execution   one order being carried out: the match as it becomes, the dice, and what happened
    state       a match as a value, hidden parts included
    view        what one seat may know of a match
    battle      battles as data
    forces      units put down, taken away and changed
    queries     questions to a board that several rooms ask
    standing    what a seat says in advance
    board       all that everybody may see of a match, as a value
    data        the rulebook's numbers and names

All of them may import engine.core, engine.chance and engine.text, `game` and what it hands over to
also engine.game and engine.abilities; none another game.
"""
