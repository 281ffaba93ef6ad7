"""4, 5: spies and research: one row each, with the chance and what success brings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.abilities import SheetField, SheetForm, SheetTrack, SheetValue
from engine.core import BadNotation, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Job
from engine.east_and_west.course import espionage, research
from engine.east_and_west.course.espionage import Spy
from engine.east_and_west.course.research import Accept, Research
from engine.east_and_west.course.treasury import purse
from engine.east_and_west.data.arsenal import CATEGORIES, FULL, Category, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, POWER_NAMES, USSR
from engine.east_and_west.orders.registry import VERBS, parse
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.paper import NOTHING, Offer, Part, Values, choice, flag, nothing

FREE_HUNT = "free"
PAID, FREE = "paid", "free"


# --- 4: spies -------------------------------------------------------------------------------------


def spies(desk: Desk) -> Iterator[Part]:
    board = desk.board
    held = board.powers[desk.power].spies
    busy = sum(job.kind != "free" for job in board.turn.jobs)
    lines = [
        Text("Spies: {spies}, with a job: {busy}", {"spies": held, "busy": busy}),
        *(_given(job) for job in board.turn.jobs),
        _chance(board),
    ]
    fields = [*_spy_fields(desk, held - busy), *_free_field(desk)]
    offers = [_spy_form(fields)] if fields else []
    yield Part("spies", Text("Jobs for your spies"), tuple(lines), offers=tuple(offers))


def _chance(board: Board) -> Text:
    if board.variant.spy_vs_spy:
        return Text("A job succeeds 2 times in 6; failure costs nothing.")
    return Text("A job succeeds once in 6 times; failure costs nothing.")


def _given(job: Job) -> Text:
    return Text("given: {job}", {"job": espionage.job_text(job)})


def _spy_fields(desk: Desk, free: int) -> Iterator[SheetField]:
    jobs = list(_jobs(desk)) if free > 0 else []
    if not jobs:
        return
    for number in range(1, free + 1):
        yield choice(f"spy-{number}", Text("Spy {number}", {"number": number}), [_idle(), *jobs])


def _idle() -> SheetValue:
    return nothing(Text("no job"))


def _jobs(desk: Desk) -> Iterator[SheetValue]:
    """Everything one spy may do, as the tree of orders has it."""
    verb = VERBS["spy"]
    for kind in verb.offer(desk.state, desk.power, ()):
        if kind.word == FREE_HUNT:
            continue
        leaves = (kind,) if kind.action else verb.offer(desk.state, desk.power, (kind.word,))
        for leaf in leaves:
            assert isinstance(leaf.action, Spy)
            job = leaf.action.job
            yield SheetValue(verb.notate(leaf.action), espionage.job_text(job), _gain(desk, job))


def _free_field(desk: Desk) -> Iterator[SheetField]:
    offered = tuple(VERBS["spy"].offer(desk.state, desk.power, (FREE_HUNT,)))
    if offered:
        values = [SheetValue(option.word, option.label) for option in offered]
        yield choice(
            FREE_HUNT,
            Text("Free counter-espionage against"),
            [nothing(Text("whoever has most income")), *values],
        )


def _spy_form(fields: list[SheetField]) -> Offer:
    form = SheetForm("spies", Text("Give jobs"), Text("Give these jobs"), tuple(fields))
    names = [field.name for field in fields]

    def orders(values: Values) -> list[Any]:
        said = {name: values.chosen(name) for name in names if values.chosen(name)}
        given = [
            parse(f"spy free {job}" if name == FREE_HUNT else f"spy {job}")
            for name, job in said.items()
        ]
        return given or _nothing_chosen(Text("a job"))

    return Offer(form, orders)


def _nothing_chosen(what: Text) -> list[Any]:
    raise BadNotation("nothing is chosen; choose {what}", what=what)


def _gain(desk: Desk, job: Job) -> Text:
    board, power = desk.board, desk.power
    match job.kind:
        case "diplomacy" if job.target in ALLIANCES:
            return _influence_gain(desk, job.target)
        case "diplomacy":
            value = {"value": queries.value(board, job.target)}
            return Text("it joins you, worth {value} IPC", value)
        case "theft":
            category = next(key for key in CATEGORIES if key == job.target)
            step = research.next_step(board, power, category)
            technology = technologies()[category].steps[step - 1]
            return Text("brings {technology}, from your next turn on", {"technology": technology})
    caught = espionage.victim(board, power, job.target)
    assert caught is not None
    return Text("a spy of {power} is caught", {"power": POWER_NAMES[caught]})


def _influence_gain(desk: Desk, alliance: str) -> Text:
    """4.3: what the alliance would pay one step further."""
    board, printed = desk.board, atlas().alliances[alliance]
    there = board.influence[alliance] + espionage.REACH[desk.power]
    payee = USSR if there > 0 else printed.west
    paid = printed.income[abs(there)]
    if not paid:
        return Text("one step towards you; it pays nobody then")
    return Text(
        "one step towards you; it then pays {power} {paid} IPC",
        {"power": POWER_NAMES[payee], "paid": paid},
    )


# --- 5: research ----------------------------------------------------------------------------------


def attempts(desk: Desk) -> Iterator[Part]:
    board = desk.board
    lines = [
        Text("You can spend {purse} IPC.", {"purse": purse(board)}),
        _odds_of_attempts(board),
        *(_made(board, desk, category) for category in CATEGORIES if _is_tried(board, category)),
    ]
    fields = [field for category in CATEGORIES for field in _attempt_field(desk, category)]
    gifts = [field for category in CATEGORIES for field in _gift_field(desk, category)]
    offers = [_research_form(desk, fields, gifts)] if fields or gifts else []
    yield Part(
        "research",
        Text("Attempts at new technologies"),
        tuple(lines),
        tuple(_track(desk, category) for category in CATEGORIES),
        offers=tuple(offers),
    )


def _odds_of_attempts(board: Board) -> Text:
    if board.variant.tech_war:
        return Text("Each attempt: 2 in 6 for a full step, 2 in 6 for half a step.")
    return Text("Each attempt: 1 in 6 for a full step, 1 in 6 for half a step.")


def reminders(desk: Desk) -> Iterator[Text]:
    """5.3: what costs nothing and was not done."""
    if any(_may(desk, Research(category, is_free=True)) for category in CATEGORIES):
        yield Text("Your free attempt at a technology is not used.")


def _is_tried(board: Board, category: Category) -> bool:
    return any(attempt.category == category for attempt in board.turn.attempts)


def _made(board: Board, desk: Desk, category: Category) -> Text:
    return Text("given: attempt in {category}", {"category": research.category_name(category)})


def _track(desk: Desk, category: Category) -> SheetTrack:
    at = research.counter(desk.board, desk.power, category)
    steps = tuple(Text("{step}", {"step": step}) for step in technologies()[category].steps)
    label = Text("{category}", {"category": research.category_name(category)})
    return SheetTrack(label, steps, at // 2, at % 2 == 1)


def _attempt_field(desk: Desk, category: Category) -> Iterator[SheetField]:
    board, printed = desk.board, technologies()[category]
    values = [nothing(Text("no attempt"))]
    if printed.price <= purse(board) and _may(desk, Research(category)):
        values.append(SheetValue(PAID, Text("for {price} IPC", {"price": printed.price})))
    if _may(desk, Research(category, is_free=True)):
        values.append(SheetValue(FREE, Text("the free attempt")))
    if len(values) == 1:
        return
    at = research.counter(board, desk.power, category)
    half = at % 2 == 1
    step = {"technology": printed.steps[min(at, FULL - 1) // 2]}
    yield choice(
        category,
        Text("{category}", {"category": printed.names}),
        values,
        note=Text("half a step to {technology}", step)
        if half
        else Text("next: {technology}", step),
    )


def _may(desk: Desk, attempt: Research) -> bool:
    return research.why_not(desk.board, desk.power, attempt) is None


def _gift_field(desk: Desk, category: Category) -> Iterator[SheetField]:
    for option in VERBS["accept"].offer(desk.state, desk.power, ()):
        if option.word == category:
            yield flag(f"accept-{category}", Text("Accept: {gift}", {"gift": option.label}))


def _research_form(desk: Desk, tried: list[SheetField], gifts: list[SheetField]) -> Offer:
    is_rolled_at_once = desk.board.turn.stop == "mobilisation"
    notes = [Text("One at a time: in the mobilisation each attempt is rolled at once.")]
    form = SheetForm(
        "research",
        Text("Make attempts"),
        Text("Make these attempts"),
        (*tried, *gifts),
        notes=tuple(notes) if is_rolled_at_once else (),
    )

    def orders(values: Values) -> list[Any]:
        found: list[Any] = [
            Accept(category) for category in CATEGORIES if values.is_set(f"accept-{category}")
        ]
        for category in CATEGORIES:
            if values.chosen(category) != NOTHING:
                found.append(Research(category, values.chosen(category) == FREE))
        if is_rolled_at_once and len(found) > 1:
            raise BadNotation("choose one category; in the mobilisation each is rolled at once")
        return found or _nothing_chosen(Text("a category"))

    return Offer(form, orders)
