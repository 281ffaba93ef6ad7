"""What a letter says instead of the whole world: what happened, what threatens, what has changed.

And what can be looked back on: figures over time, and battles as they were told.

    stories      battles as they were told, die by die, gathered into a few lines each
    chronicle    what happened, turn by turn
    threats      which lands could be attacked, by what, and how that would end
    situation    money, technologies, bombs and spies of a power; the threats in words
    changes      where something has changed, theatre by theatre
    report       those theatres, as text and as HTML
    figures      the powers in numbers, for plots and tables
    lessons      remarks on the first turns, for beginners
    battle_log   which of the things that were told belong to which battle

It sees views only. May import everything but game and check.
"""
