"""The stand-in player, and what a power reads off the board.

    stand_in        legal, sensible orders for a power that nobody plays
    draft           orders being thought out, each tried with the rules
    appraisal       who threatens what, what has to stay, where the front is
    offensive       the combat move by land and air
    assault         landings from the sea
    airborne        paratroops, and raids on factories
    atomic          atomic bombs: used, built, kept ready
    redeployment    the non-combat move
    intelligence    spies and research
    supply          what is bought, and where it is placed
    guess           how a battle will go, at a glance
    prospect        how good a position looks for a side

May import everything but game, check and draw.
"""
