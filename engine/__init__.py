"""Rules of the games: no clock, no store, no web, no chance of their own.

    core             the values that cross between games and hosts, and the family of errors
    rules            what every game promises about its rules
    drawing          what every game promises about its looks
    game             both together
    abilities        what some games can do, asked for by type
    versions         what becomes of matches that began under older rules
    chance           draws that players can check
    log              the entries of a match, chained
    replay           the match file, and its log folded into states
    audit            the file checked
    strict_json      JSON that can be read in one way only
    text             saying a message in a language, plain ASCII, wrapping; rules as a numbered text
    registry         the games there are
    sparring         partners for practice, their strengths, remarks for beginners
    terminal         the games in a terminal
    iron_curtain     a game: a duel of cards and cubes
    east_and_west    a game: four powers, 190 spaces, dice

Imports msgspec and the pure part of the standard library, and nothing of `pbem`.
"""
