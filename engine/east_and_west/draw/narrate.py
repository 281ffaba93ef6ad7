"""The position in plain sentences, one fact a line, for whoever listens instead of looking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from msgspec.structs import replace

from engine.core import LANGUAGES, Language, Name, Outcome, Param, Seat, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group, Job, Load, Mark, Stop
from engine.east_and_west.data.arsenal import CATEGORIES, Category, counted, kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import MINOR, NATO_NAME, POWER_NAMES, POWERS, USSR, is_power
from engine.east_and_west.draw.standing_text import own_orders
from engine.east_and_west.forces import merged
from engine.east_and_west.view import View
from engine.text import words_of

Say = Callable[[Text, Language], str]
Names = tuple[Name, ...]

STOPS: dict[Stop, Text] = {
    "mobilisation": Text("mobilisation"),
    "intelligence": Text("espionage and research"),
    "operations": Text("production and combat move"),
    "logistics": Text("non-combat move and placement"),
}
MARKS: dict[Mark, Name] = {
    "damaged": Name("damaged", "beschädigt", "endommagé"),
    "attacking": Name("attacking", "im Angriff", "à l'attaque"),
    "carrying": Name("carrying infantry", "mit Infanterie an Bord", "transportant l'infanterie"),
    "raiding": Name("against the factory", "gegen die Fabrik", "contre l'usine"),
    "submerged": Name("submerged", "getaucht", "en plongée"),
    "repairing": Name("in repair", "in Reparatur", "en réparation"),
    "stunned": Name("stunned", "betäubt", "paralysé"),
    "helpless": Name("without defence", "ohne Verteidigung", "sans défense"),
}
"""What of a unit's fate is worth a word; whether it can still move is what its orders show."""


def narrate(view: View, language: Language, say: Say, with_news: bool = True) -> str:
    facts = [moment(view), question(view)]
    told_before = news(view) if with_news else {}
    if told_before:
        facts.append(Text("Since your last turn:") if view.seat else Text("The last turns:"))
    for turn, told in told_before.items():
        facts += [turn_name(turn), *told]
    facts += [*powers(view.board), *alliances(view.board), *this_turn(view.board)]
    for theatre, kept in atlas().theatres.items():
        there = [fact for space in busy(view.board, theatre) for fact in space_facts(view, space)]
        bare = tuple(atlas().spaces[key].names for key in empty(view.board, theatre))
        there += [Text("Without units: {lands}.", {"lands": bare})] if bare else []
        if there:
            facts += [Text("{theatre}:", {"theatre": kept.names}), *there]
    orders = own_orders(view)
    if orders:
        facts.append(Text("Your standing orders and plans, which nobody else sees:"))
        facts += [Text("{order}", {"order": order}) for order in orders]
    return "\n".join(sentence(fact, language, say) for fact in facts) + "\n"


def sentence(fact: Text, language: Language, say: Say) -> str:
    """A fact on one line with a full stop."""
    line = " ".join(words_of(say(fact, language)))
    return line if line.endswith((".", ":", "?", "!")) else line + "."


# --- where the match stands -----------------------------------------------------------------------


def moment(view: View) -> Text:
    board = view.board
    if not board.turn_number:
        return Text("Before the first round.")
    return Text(
        "Round {round}, turn of {power}.",
        {"round": board.round, "power": POWER_NAMES[board.turn.power]},
    )


def round_only(view: View) -> Text | None:
    board = view.board
    return Text("round {round}", {"round": board.round}) if board.turn_number else None


def headline(view: View) -> Text:
    return Text("{moment} {question}", {"moment": moment(view), "question": question(view)})


def question(view: View) -> Text:
    """Who has to decide about what, or how it ended."""
    board = view.board
    if board.result is not None:
        return outcome(board.result)
    if view.asked is None:
        return Text("The match is over.")
    if view.asked in view.powers:
        return _your_move(view, view.asked)
    return Text(
        "{power} to move: {what}.",
        {"power": POWER_NAMES[view.asked], "what": asked_for(board)},
    )


def _your_move(view: View, power: Seat) -> Text:
    """Who holds several powers is told which of them is asked."""
    what = asked_for(view.board)
    if len(view.powers) == 1:
        return Text("Your move: {what}.", {"what": what})
    return Text("Your move as {power}: {what}.", {"power": POWER_NAMES[power], "what": what})


def outcome(result: Outcome) -> Text:
    if not result.winners:
        return Text("The match is drawn: {reason}", {"reason": result.reason})
    side = POWER_NAMES[USSR] if USSR in result.winners else NATO_NAME
    return Text("{side} wins: {reason}", {"side": side, "reason": result.reason})


def asked_for(board: Board) -> Text:
    """The stop of the turn, or the question in the middle of it; 14.5."""
    if not board.questions:
        return STOPS[board.turn.stop]
    asked = board.questions[-1]
    where: dict[str, Param] = {}
    if asked.space:
        where["space"] = atlas().spaces[asked.space].names
    match asked.kind:
        case "losses" | "blast":
            lost: dict[str, Param] = {**where, "hits": int(str(asked.data.get("hits", 1)))}
            return Text("choose the losses in {space} ({hits:# hit|# hits})", lost)
        case "target":
            return Text("choose what the guns in {space} shoot at", where)
        case "submarines":
            return Text("choose what the submarines in {space} do", where)
        case "retreat":
            return Text("fight on in {space} or retreat", where)
        case _:
            return Text("decide whether to share a technology")


def news(view: View) -> dict[int, list[Text]]:
    """What is worth telling of the turns since the reader's own last one, by turn."""
    board = view.board
    since = board.turn_number - min(
        (_ago(board, power) for power in view.powers), default=len(POWERS)
    )
    told: dict[int, list[Text]] = {}
    for line in board.headlines:
        if line.turn > since:
            told.setdefault(line.turn, []).append(line.text)
    return told


def _ago(board: Board, power: Seat) -> int:
    """How many turns ago the last turn of a power was that is over."""
    return (POWERS.index(board.turn.power) - POWERS.index(power)) % len(POWERS) or len(POWERS)


def turn_name(turn: int) -> Text:
    """Turns are counted from 1, the mobilisation is 0."""
    if not turn:
        return Text("the mobilisation")
    round, place = divmod(turn - 1, len(POWERS))
    return Text("Round {round}: {power}", {"round": round + 1, "power": POWER_NAMES[POWERS[place]]})


def touched(view: View) -> tuple[str, ...]:
    """Where something happened: spaces named in the news, and those fought for in this turn."""
    turn, spaces, by_name = view.board.turn, atlas().spaces, _by_name()
    told = [
        by_name[name]
        for texts in news(view).values()
        for text in texts
        for value in text.params.values()
        for name in (value if isinstance(value, tuple) else (value,))
        if isinstance(name, Name) and name in by_name
    ]
    attacks = (attack.space for attack in turn.attacks)
    strikes = (strike.target for strike in turn.strikes)
    found = {*told, *attacks, *strikes, *turn.captured, *turn.raids, *turn.fought, *turn.bombed}
    return tuple(key for key in spaces if key in found)


@cache
def _by_name() -> dict[Name, str]:
    return {space.names: key for key, space in atlas().spaces.items()}


# --- the powers -----------------------------------------------------------------------------------


def powers(board: Board) -> Iterator[Text]:
    """Money, income, factories, spies, technologies and luck of each power."""
    for seat in POWERS:
        power = board.powers[seat]
        yield Text(
            "{power}: {cash} IPC, income {income}, {factories:# factory|# factories},"
            " {spies:# spy|# spies}, technologies: {known}.",
            {
                "power": POWER_NAMES[seat],
                "cash": power.cash,
                "income": queries.income(board, seat),
                "factories": factories(board, seat),
                "spies": power.spies,
                "known": known_steps(board, seat) or Text("none"),
            },
        )
        yield from research(board, seat)
        if power.luck.dice:
            yield Text(
                "{power} has rolled {dice:# die|# dice}: {hits:# hit|# hits}, {expected} expected;"
                " destroyed {value} IPC, {expected_value} expected.",
                {
                    "power": POWER_NAMES[seat],
                    "dice": power.luck.dice,
                    "hits": power.luck.hits,
                    "expected": f"{power.luck.expected:.1f}",
                    "value": power.luck.value,
                    "expected_value": f"{power.luck.expected_value:.1f}",
                },
            )


def factories(board: Board, seat: Seat) -> int:
    return sum(board.owners[land] == seat for land in board.factories)


def research(board: Board, seat: Seat) -> Iterator[Text]:
    """Half steps, and stolen steps that do not work yet."""
    power, named = board.powers[seat], {"power": POWER_NAMES[seat]}
    half = tuple(step_name(c, power.research[c] // 2 + 1) for c in _halves(board, seat))
    if half:
        yield Text("{power}, half a step made: {steps}.", {**named, "steps": half})
    stolen = tuple(step_name(category, step) for category, step in power.pending)
    if stolen:
        yield Text("{power}, stolen for the next turn: {steps}.", {**named, "steps": stolen})


def _halves(board: Board, seat: Seat) -> list[Category]:
    return [c for c in CATEGORIES if board.powers[seat].research.get(c, 0) % 2]


def step_name(category: Category, step: int) -> Name:
    return technologies()[category].steps[step - 1]


def known_steps(board: Board, seat: Seat) -> Names:
    return tuple(
        step_name(category, step)
        for category in CATEGORIES
        for step in (1, 2, 3)
        if queries.knows(board, seat, category, step)
    )


def alliances(board: Board) -> Iterator[Text]:
    for key in board.influence:
        payee, paid = queries.pays(board, key)
        yield Text(
            "{alliance} stands at {position}; it pays {power} {paid} IPC.",
            {
                "alliance": atlas().alliances[key].names,
                "position": f"{board.influence[key]:+d}",
                "power": POWER_NAMES[payee],
                "paid": paid,
            },
        )


# --- the turn so far ------------------------------------------------------------------------------


def this_turn(board: Board) -> Iterator[Text]:
    """What has been ordered and done in this turn, and what is bought and not placed."""
    turn, spaces = board.turn, atlas().spaces
    for job in turn.jobs:
        yield _job(job)
    if turn.attempts:
        tried = tuple(technologies()[attempt.category].names for attempt in turn.attempts)
        yield Text("Research attempts: {categories}.", {"categories": tried})
    for seat in POWERS:
        hand = board.powers[seat].hand
        if hand:
            bought = tuple(counted(kind, number) for kind, number in hand.items())
            yield Text(
                "{power} has to place: {units}.", {"power": POWER_NAMES[seat], "units": bought}
            )
    for strike in turn.strikes:
        way = {"start": spaces[strike.start].names, "target": spaces[strike.target].names}
        yield Text("Atomic attack: {start} - {target}.", {**way})
    if turn.raids:
        bombed = tuple(spaces[land].names for land in turn.raids)
        yield Text("Factories under attack: {lands}.", {"lands": bombed})
    if turn.attacks:
        attacked = dict.fromkeys(spaces[attack.space].names for attack in turn.attacks)
        yield Text("Attacks: {spaces}.", {"spaces": tuple(attacked)})
    if turn.captured:
        taken = tuple(spaces[land].names for land in turn.captured)
        yield Text("Captured in this turn: {lands}.", {"lands": taken})


def _job(job: Job) -> Text:
    if not job.target:
        return Text("A spy hunts spies.")
    spaces, known = atlas().spaces, atlas().alliances
    if job.kind == "diplomacy":
        names = known[job.target].names if job.target in known else spaces[job.target].names
        return Text("A spy works as a diplomat: {target}.", {"target": names})
    if job.kind == "theft":
        stolen = next(c for c in CATEGORIES if c == job.target)
        return Text("A spy tries to steal: {target}.", {"target": technologies()[stolen].names})
    return Text("A spy hunts spies: {target}.", {"target": POWER_NAMES[Seat(job.target)]})


# --- spaces and what stands there -----------------------------------------------------------------


def busy(board: Board, theatre: str) -> list[str]:
    """The spaces of a theatre with units, and lands that belong to somebody else than printed."""
    return [
        key
        for key in atlas().theatre(theatre)
        if board.at(key) or board.owners.get(key, "") != atlas().spaces[key].owner
    ]


def empty(board: Board, theatre: str) -> list[str]:
    """Lands of powers without any unit that are not among the busy ones."""
    return [
        key
        for key in atlas().theatre(theatre)
        if is_power(board.owners.get(key, "")) and key not in busy(board, theatre)
    ]


def space_facts(view: View, key: str) -> Iterator[Text]:
    """Whose a space is, what it is worth, and what stands there, owner by owner."""
    board = view.board
    owner, has_factory = board.owners.get(key, ""), key in board.factories
    return facts_at(key, board.at(key), owner, queries.value(board, key), has_factory)


def facts_at(
    key: str, groups: Iterable[Group], owner: str, value: int, has_factory: bool
) -> Iterator[Text]:
    """The same from what is to be seen there; water has no owner."""
    space, stacks = atlas().spaces[key], dict(stacked_by_owner(groups, owner))
    if space.is_land:
        land: dict[str, Param] = {
            "space": space.names,
            "owner": owner_called(owner),
            "value": value,
            "units": stacks.pop(owner, ()) or Text("no units"),
        }
        yield Text(
            "{space}, {owner}, worth {value}, with a factory: {units}."
            if has_factory
            else "{space}, {owner}, worth {value}: {units}.",
            land,
        )
    for power, units in stacks.items():
        params: dict[str, Param] = {"space": space.names, "units": units}
        yield Text("{space}, units of {power}: {units}.", {**params, "power": holder(power, key)})


def owner_called(owner: str) -> Name | Text:
    """Whose a space is; water is nobody's."""
    if not owner:
        return Text("sea")
    return Text("neutral") if owner == MINOR else _owner(owner)


def holder(owner: str, space: str) -> Name:
    """Who commands units: a power, an alliance, or the minor neutral that a land is."""
    return atlas().spaces[space].names if owner == MINOR else _owner(owner)


def _owner(owner: str) -> Name:
    known = atlas().alliances
    return known[owner].names if owner in known else POWER_NAMES[Seat(owner)]


def stacked(board: Board, space: str) -> list[tuple[str, Names]]:
    """The units of a space by owner; the owner of the land first, then in the order of turns."""
    return stacked_by_owner(board.at(space), board.owners.get(space, ""))


def stacked_by_owner(groups: Iterable[Group], first: str) -> list[tuple[str, Names]]:
    """The same, one owner first."""
    seen = [replace(g, used=0, marks=_shown(g), loaded=(), shore=()) for g in groups]
    by_owner: dict[str, list[Group]] = {}
    for group in sorted(merged(seen), key=lambda group: _printed(group.kind)):
        by_owner.setdefault(group.owner, []).append(group)
    order = sorted(by_owner, key=lambda owner: (owner != first, _place(owner), owner))
    return [(owner, tuple(map(in_words, by_owner[owner]))) for owner in order]


def _printed(kind: str) -> int:
    """The place of a kind among all."""
    return list(kinds()).index(kind)


def _shown(group: Group) -> tuple[Mark, ...]:
    return tuple(mark for mark in group.marks if mark in MARKS)


def _place(owner: str) -> int:
    return next((i for i, power in enumerate(POWERS) if power == owner), len(POWERS))


def in_words(group: Group) -> Name:
    """`2 transports (2 infantry)`, `1 battleship (damaged)`."""
    units = counted(group.kind, group.count)
    beside = [*(_cargo(load, group.owner) for load in group.cargo)]
    beside += [MARKS[mark] for mark in group.marks]
    en, de, fr = (
        f"{units.in_(language)} ({', '.join(more.in_(language) for more in beside)})"
        if beside
        else units.in_(language)
        for language in LANGUAGES
    )
    return Name(en, de, fr)


def _cargo(load: Load, carrier: str) -> Name:
    units = counted(load.kind, load.count)
    if load.owner == carrier:
        return units
    whose = _owner(load.owner)
    en, de, fr = (f"{whose.in_(lang)}: {units.in_(lang)}" for lang in LANGUAGES)
    return Name(en, de, fr)
