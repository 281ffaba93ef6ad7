"""Units on their way, and what becomes of them.

    moving          units move over land and sea and through the air
    declarations    units come into battles, and what is remembered of how they came
    shipping        troops go on board of transports and ashore
    voyages         ships that sail for an assault, and what becomes of them without one
    airborne        raids, and aircraft that carry infantry or bombs
    carriers        aircraft that go along with a carrier
    havens          where aircraft go whose carrier was sunk
    stranded        the end of a turn finds every aircraft down, or lost
    recall          units come back from where the combat move led
    conquest        a land changes hands

May import reach, and report, execution and what lies below them.
"""
