"""What each verb is for, in a few words: the first level of the tree of orders."""

from __future__ import annotations

from engine.core import Text

HEADINGS = {
    "spy": Text("Give a spy a mission"),
    "research": Text("Pay for a research attempt"),
    "accept": Text("Accept half a step from an ally"),
    "buy": Text("Buy units"),
    "repair": Text("Repair battleships"),
    "move": Text("Move units"),
    "load": Text("Load units onto a ship"),
    "land": Text("Land units from a ship"),
    "drop": Text("Carry infantry by air"),
    "raid": Text("Bomb a factory"),
    "attack": Text("Attack where you already have units"),
    "strike": Text("Attack with an atomic weapon"),
    "fly-bomb": Text("Fly a bomb to a friendly land"),
    "plan": Text("Plan a battle"),
    "place": Text("Place new units"),
    "reinforce": Text("Send Chinese infantry to North Korea"),
    "host": Text("Open or close your ships to an ally"),
    "surrender": Text("Offer to surrender"),
    "fight-on": Text("Withdraw the offer to surrender"),
    "lose": Text("Choose losses"),
    "stay": Text("Stay"),
    "submerge": Text("Submerge"),
    "retreat": Text("Retreat"),
    "fight": Text("Fight on"),
    "target": Text("Choose what the gun shoots at"),
    "share": Text("Share the technology?"),
    "standing": Text("Standing orders for when you are attacked"),
    "then": Text("Give an order for later"),
    "forget": Text("Cancel orders for later"),
    "for": Text("Say something in advance for one of your powers only"),
}
