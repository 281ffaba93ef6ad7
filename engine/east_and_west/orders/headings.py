"""What each verb is for, in a few words: the first level of the tree of orders."""

from __future__ import annotations

from engine.core import Text

HEADINGS = {
    "spy": Text("Put a spy on a job"),
    "research": Text("Pay for an attempt in a category"),
    "accept": Text("Take half a step that an ally offers"),
    "buy": Text("Buy units"),
    "repair": Text("Repair battleships"),
    "move": Text("Move units"),
    "load": Text("Load units onto a ship"),
    "land": Text("Land units from a ship"),
    "drop": Text("Carry infantry by air"),
    "raid": Text("Bomb a factory"),
    "attack": Text("Attack where units already are"),
    "strike": Text("Attack with an atomic weapon"),
    "fly-bomb": Text("Fly a bomb to a friendly land"),
    "plan": Text("Say how an attack is to be fought"),
    "place": Text("Place what was bought"),
    "reinforce": Text("Send Chinese infantry to North Korea"),
    "host": Text("Say whether units of an ally may come on board"),
    "surrender": Text("Offer surrender"),
    "fight-on": Text("Take back the offer to surrender"),
    "lose": Text("Choose what is lost"),
    "stay": Text("Stay"),
    "submerge": Text("Submerge"),
    "retreat": Text("Retreat"),
    "fight": Text("Fight on"),
    "target": Text("Choose what the gun shoots at"),
    "share": Text("Share the technology?"),
    "standing": Text("Say in advance how others' attacks are met"),
    "then": Text("Give an order for a later stop"),
    "forget": Text("Drop orders for later"),
}
