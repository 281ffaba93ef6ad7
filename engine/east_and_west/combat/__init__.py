"""Phase 5: battles, and atomic attacks.

    agenda          all battles of a turn in their order
    current         the battle at hand: what it looks at, where it stands, and whom it asks
    fight           one battle, step by step
    guns            guns and radar fire before a battle, and at whoever flies over
    submarines      they submerge or leave a battle
    breaking_off    the attacker breaks off a battle, or fights on
    retreats        where units that break off a battle can go
    lineup          a battle of the board as plain data: who takes part, and with what
    casualties      who is lost first, and taking losses away
    luck            what dice gave each power, beside what they should have given
    nuclear         atomic attacks: complications, the flight, and what a bomb does
    scenario        a battle that nobody fights, of units that a person names, and its odds

May import odds, course, movement, reach, and what lies below them.
"""
