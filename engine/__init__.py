"""Rules of the games: no clock, no store, no web, no chance of their own; imports msgspec alone.

core           the values that cross between games and hosts, and the family of errors
rules          what every game promises about its rules; drawing: about its looks; game: both
abilities      what some games can do, asked for by type
chance         draws that players can check
log            the entries of a match, chained
replay         the match file, and its log folded into states; audit: the file checked
strict_json    JSON that can be read in one way only
text           saying a message in a language, plain ASCII, wrapping
registry       the games there are
sparring       partners for practice, in any game
terminal       the games in a terminal
iron_curtain, east_and_west    the games
"""
