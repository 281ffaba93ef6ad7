"""The games in a terminal.

    hotseat      several people at one screen, or one against a partner
    rehearsal    random matches, checked and counted
    auditing     the audit of a match file, told line by line
    options      options of a match as the command line gives them

May import anything of the engine but a game.
"""
