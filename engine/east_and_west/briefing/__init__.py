"""What a letter says instead of the whole world: what happened, what threatens, what has changed.

    stories      battles as they were told, die by die, gathered into a few lines each
    chronicle    what happened, turn by turn
    threats      which lands could be attacked, by what, and how that would end
    situation    money, technologies, bombs and spies of a power; the threats in words
    changes      where something has changed, theatre by theatre
    report       those theatres, as text and as HTML

It sees views only. May import everything but game and check.
"""
