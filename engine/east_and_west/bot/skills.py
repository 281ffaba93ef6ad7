"""What a stand-in player has learnt beside marching; each can be left out, to see its worth."""

from __future__ import annotations

from typing import Literal

Skill = Literal["bombs", "raids", "paratroops", "research", "landings", "spies"]
"""11; 7.14; 12; 5.3 against money; 8.11 with full ships from afar; 4.4 and 4.5."""
ALL: frozenset[Skill] = frozenset(("bombs", "raids", "paratroops", "research", "landings", "spies"))
