"""Time: clocks of turns, alarms, absences, and whether the machine's clock can be believed.

    clock_settings    what the players of a match agree on about time, as somebody writes it down
    clocks            clocks start, stand still and run out; each arms an alarm for its next moment
    pauses            all clocks of a match stand still, for as long as was agreed at most
    alarms            alarms: armed and rung; what one means is handed in by who rings
    reminders         one letter to a player that gathers all matches that wait
    absences          booked ahead, or used up when time runs out
    stalled_turns     no open turn of a live match may wait for nothing
    clock_trust       whether the machine's clock can be believed, and what is given back
    steady_time       what a worker goes by while somebody sets the clock of the machine
    heartbeat         when a worker last looked, whether time is in doubt, or stopped

May import players and records.
"""
