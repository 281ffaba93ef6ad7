"""What happened, turn by turn: battles as stories, new units in one line, no moves and no dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.abilities import Chapter
from engine.core import LANGUAGES, Event, Name, Param, Text
from engine.east_and_west import report
from engine.east_and_west.briefing.stories import Story
from engine.east_and_west.data.arsenal import counted
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.draw.narrate import turn_name
from engine.east_and_west.view import View

RECEIVES = "{power} receives {income} IPC and has {cash}"
OF_BATTLES = (report.LOSES, report.DAMAGED, report.RETREATS, *report.FIRE)
ROUTINE = frozenset(
    {
        report.ROUND,
        report.VOLLEY,
        report.RETREATS,
        "{power}: {units}, {start} - {target}",
        "{power}: {units} on board, {land} - {zone}",
        "{power}: {units} ashore, {zone} - {land}",
        "{power}: {units} with infantry on board, {start} - {target}",
        "{power}: {units}, out from under the ice: {zone}",
        "{power}: {units} against the factory of {land}",
        "{power}: {units}, landing in {land}",
        "{power}: a {kind} over {space} lands: {target}",
        "{power}: a bomber takes an {bomb} along, {start} - {target}",
        "{power}: atomic attack, {start} - {target}",
        "{power}: {units} {count:retreats|retreat} to {zone}",
        "{power}: {units} {count:submerges|submerge}",
        "{power}: the aircraft leave the battle",
        "{power} attacks: {space}",
        "{power} bombs the factory in {land}",
        "{power} rolls a {face} for {category}",
        "{power}, {job}: {face}",
        "{power} takes units of {guest} on board",
        "{power} takes no units of {guest} on board",
        "{number:One|#} Chinese infantry {number:is|are} raised in Manchuria",
        "{power} keeps {left} IPC of its mobilisation",
        "{power} now has {number:# spy|# spies}",
        "{count:# hit fits|# hits fit} no unit",
        "Bombardment of {space}",
        "Noted for later: {order}",
        "Forgotten: {order}",
    }
)
"""What the map shows, or a page on demand."""


def retold(before: View | None, events: Sequence[Event]) -> tuple[Chapter, ...]:
    """A chapter for each turn; what comes first belongs to the turn that was on before."""
    chapters = [_begun(before)]
    for told in (event.text for event in events):
        if told.msgid == report.TURN:
            chapters.append(_Turn(told, told.params["power"]))
        else:
            chapters[-1].hear(told)
    *over, last = [turn.chapter() for turn in chapters]
    whole = [chapter for chapter in over if chapter.lines]
    return (*whole, last) if last.lines else tuple(whole)


def _begun(before: View | None) -> _Turn:
    """The turn that was on, perhaps in the middle of a battle."""
    if before is None or not before.board.turn_number:
        return _Turn(Text("Before the first round."), None)
    power = POWER_NAMES[before.board.turn.power]
    turn = _Turn(turn_name(before.board.turn_number), power)
    if before.combat is not None and before.combat.fight is not None:
        turn.go_on(Story(atlas().spaces[before.combat.fight.space].names, power))
    return turn


class _Turn:
    """One turn, or what was told of it."""

    def __init__(self, title: Text, power: Param | None) -> None:
        self.title = title
        self.power = power if isinstance(power, Name) else None
        self.told: list[Text | Story] = []
        self.story: Story | None = None
        """The battle that is on."""
        self.placed: dict[Param, Counter[str]] = {}
        self.received: Text | None = None

    def hear(self, told: Text) -> None:
        if told.msgid == report.PLACES:
            self._place(told)
        elif told.msgid == RECEIVES:
            self.received = told
        elif told.msgid in (report.BEGINS, report.ROUND):
            self._fight(told)
        elif self.story is not None and told.msgid in (*OF_BATTLES, report.ENDS):
            self.story.hear(told)
            self.story = None if told.msgid == report.ENDS else self.story
        elif told.msgid in report.CAPTURES and self._ends_with(told):
            pass
        elif told.msgid not in ROUTINE and not _is_bloodless(told):
            self.told.append(told)

    def _place(self, told: Text) -> None:
        """New units, by space."""
        kind, number = told.params["kind"], told.params["number"]
        assert isinstance(kind, Name) and isinstance(number, int)
        here = self.placed.setdefault(told.params["space"], Counter())
        here[report.kind_called(kind)] += number

    def _fight(self, told: Text) -> None:
        """A battle begins, or one goes on whose beginning was told before."""
        space = told.params["space"]
        assert isinstance(space, Name)
        if told.msgid == report.BEGINS or self.story is None:
            self.go_on(Story(space, self._attacker(told)))
        assert self.story is not None
        self.story.hear(told)

    def go_on(self, story: Story) -> None:
        """From here on this battle is told."""
        self.story = story
        self.told.append(story)

    def _attacker(self, told: Text) -> Name:
        power = told.params.get("power", self.power)
        assert isinstance(power, Name)
        return power

    def _ends_with(self, told: Text) -> bool:
        """Whether it says what came of the battle before it."""
        last = self.told[-1] if self.told else None
        if not isinstance(last, Story) or last.space != told.params["land"]:
            return False
        last.result = told
        return True

    def chapter(self) -> Chapter:
        lines = [one.sentences() if isinstance(one, Story) else _sentence(one) for one in self.told]
        return Chapter(self.title, (*lines, *self._supply()))

    def _supply(self) -> Iterator[Text]:
        if self.placed:
            new = tuple(
                _in_a_space(space, units)
                for space, units in self.placed.items()
                if isinstance(space, Name)
            )
            yield Text("New: {units}.", {"units": new})
        if self.received is not None:
            yield Text("Income {income} IPC, {cash} in hand.", self.received.params)


def _sentence(told: Text) -> Text:
    return told if told.msgid.endswith((".", "!", "?")) else Text("{told}.", {"told": told})


def _in_a_space(space: Name, units: Counter[str]) -> Name:
    """`France 5 infantry, 1 fighter`."""
    names = [counted(kind, number) for kind, number in units.items()]
    en, de, fr = (
        f"{space.in_(language)} {', '.join(name.in_(language) for name in names)}"
        for language in LANGUAGES
    )
    return Name(en, de, fr)


def _is_bloodless(told: Text) -> bool:
    """The end of a battle that nobody fought."""
    return told.msgid == report.ENDS and not (told.params["lost"] or told.params["destroyed"])
