"""The audit of a match file: chance, rules, who acted, how it ended, and the chain of its entries.

AuditError names the first entry that is wrong. What a file alone cannot show is that it was not
written anew as a whole; for that the heads of letters are compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.abilities import DeckProofs
from engine.chance import ChanceError, DeckTree, SeededDice, commitment, match_key
from engine.core import Seat
from engine.game import Game
from engine.log import (
    DRAW,
    MODERATOR,
    OPENS_TIMELINE,
    REASONS,
    SHORT,
    VERDICT,
    Entry,
    decided,
    hash_of,
)
from engine.registry import game_called
from engine.replay import AuditError, DeckRoot, MatchFile, Moment, replay, won

HASH_DIGITS = 64


class OtherRules(AuditError):
    """Nothing is wrong, but whether its orders kept the rules can be seen with others only."""


class Head(NamedTuple):
    """A head as a letter shows it, with the number of its entry where that is known."""

    digits: str
    entry: int | None = None


def head_from(words: str) -> Head:
    """A head as somebody types it: 3f9c1a2b77d04e51, or with its entry 3f9c1a2b77d04e51@41."""
    digits, at, number = words.strip().lower().partition("@")
    is_number = number.isascii() and number.isdecimal() and len(number) < 7
    if (
        not SHORT <= len(digits) <= HASH_DIGITS
        or digits.strip("0123456789abcdef")
        or is_number != bool(at)
    ):
        raise AuditError(
            "'{head}' is no head; it has {count} digits, as in 3f9c1a2b77d04e51",
            head=words.strip()[:80],
            count=SHORT,
        )
    return Head(digits, int(number) if at else None)


def audit(file: MatchFile, heads: Sequence[Head] = (), may_be_open: bool = False) -> list[Moment]:
    """Check commitment, deck roots, every draw, every step and the chain; in the end the heads.

    Whoever plays at one screen may stop before the end; that match may be open.
    """
    keys, game = _keys(file), game_called(file.game)
    if set(file.versions) == {game.rules_version}:
        return _audited(file, keys, heads, may_be_open)
    _check_without_rules(file, keys, heads)
    try:
        if len(file.versions) == 1:  # the orders of some matches are right in both versions
            return _audited(file, keys, heads, may_be_open)
    except AuditError:
        pass
    raise OtherRules(
        "its throws and the chain of its entries are right, but its orders need version {versions}"
        " of the rules of {game}; this program has version {current}",
        versions=", ".join(map(str, file.versions)),
        game=game.title,
        current=game.rules_version,
    )


def _audited(file: MatchFile, keys: Keys, heads: Sequence[Head], may_be_open: bool) -> list[Moment]:
    moments: list[Moment] = []
    for moment in replay(file):
        _check_draws(file, keys, moment)
        try:
            _check_entry(file, keys[moment.timeline], moments, moment)
        except AuditError as error:
            raise AuditError(
                "entry {entry}: {reason}", entry=moment.entry.seq, reason=error.text
            ) from error
        moments.append(moment)
    if not moments:
        raise AuditError("the file holds no entry")
    _check_decks(file, keys, moments)
    _check_end(file, moments[-1], may_be_open)
    _check_heads(file, heads)
    return moments


# --- entry by entry ------------------------------------------------------------------------------


def _check_entry(file: MatchFile, key: bytes, past: list[Moment], moment: Moment) -> None:
    game, entry = game_called(file.game), moment.entry
    seats = game.seats(file.setup)
    if not past:
        _check_seats(file, seats)
    _check_actor(entry, seats)
    if past:
        _check_course(game, file, past, entry)
    _check_result(game, file, seats, moment)
    _check_link(file, key, past[-1].entry if past else None, entry)


def _check_link(file: MatchFile, key: bytes, previous: Entry | None, entry: Entry) -> None:
    if not file.is_chained:
        return
    before = file.genesis if previous is None else previous.hash
    if hash_of(key, file.match, before, entry) != entry.hash:
        if previous is not None:
            raise AuditError("its hash does not fit what it says and what came before it")
        raise AuditError("its hash does not fit what it says and what was agreed before the match")


def _check_seats(file: MatchFile, seats: tuple[Seat, ...]) -> None:
    if file.is_chained and file.seats != seats:
        raise AuditError(
            "the seats are {seats}, the file says {said}",
            seats=" ".join(seats),
            said=" ".join(file.seats),
        )
    if len(file.phrases) != len(seats):
        raise AuditError("there must be a phrase for each seat, if only an empty one")


def _check_actor(entry: Entry, seats: tuple[Seat, ...]) -> None:
    if entry.kind == "setup":
        may = entry.actor == "" and entry.text == ""
    elif entry.kind in ("note", "rules", "restore"):
        may = entry.actor == MODERATOR
    elif entry.kind == "rewind":
        may = entry.actor in (MODERATOR, *seats)
    else:
        may = entry.actor in seats
    if not may:
        raise AuditError(
            "'{actor}' cannot have done this ({kind})", actor=entry.actor, kind=entry.kind
        )


def _check_course(
    game: Game[Any, Any, Any], file: MatchFile, past: list[Moment], entry: Entry
) -> None:
    """Nothing comes after the end; the clock plays what is usual.

    Old logs go on with a rewind behind an end that they do not call one.
    """
    before = past[-1]
    if before.entry.result:
        raise AuditError("the match was over before it")
    if entry.kind == "rewind":
        if entry.text == str(before.entry.seq):
            raise AuditError("there is nothing to take back")
        return
    if _is_end(game, file, before):
        raise AuditError("the match was over before it")
    if entry.kind == "timeout":
        usual = _usual(game, before.state, Seat(entry.actor))
        if not usual:
            raise AuditError("the clock has nothing to play for '{seat}' here", seat=entry.actor)
        if entry.text != usual:
            raise AuditError(
                "the clock does not play '{order}' here, but '{usual}'",
                order=entry.text,
                usual=usual,
            )


def _usual(game: Game[Any, Any, Any], state: Any, seat: Seat) -> str:
    """What the clock plays for a seat; empty where nothing is usual."""
    action = game.default_action(state, seat) if seat in game.waiting_on(state) else None
    return game.notate(action) if action is not None else ""


def _result(game: Game[Any, Any, Any], seats: tuple[Seat, ...], moment: Moment) -> str:
    """What the match has come to by an entry: by people, or by the rules; empty when it goes on."""
    if moment.entry.kind in ("setup", "action", "timeout"):
        return won(game.outcome(moment.state))
    return decided(moment.entry, seats)


def _is_end(game: Game[Any, Any, Any], file: MatchFile, moment: Moment) -> bool:
    is_decided = bool(_result(game, game.seats(file.setup), moment))
    return is_decided or game.outcome(moment.state) is not None


def _check_result(
    game: Game[Any, Any, Any], file: MatchFile, seats: tuple[Seat, ...], moment: Moment
) -> None:
    """An entry may keep silent about an end that was taken back, as old ones do."""
    right, said = _result(game, seats, moment), moment.entry.result
    is_verdict = moment.entry.kind == "note" and moment.entry.text.startswith(VERDICT)
    if is_verdict and right != DRAW and not _are_seats(right.split(" "), seats):
        raise AuditError("'{result}' is no result", result=right)
    if said not in ("", right):
        raise AuditError(
            "it says that the match ends with '{said}'; it ends with '{right}'",
            said=said,
            right=right,
        )


def _are_seats(winners: Sequence[str], seats: Sequence[Seat]) -> bool:
    return len(winners) == len(set(winners) & set(seats))


# --- without the rules ----------------------------------------------------------------------------


def _check_without_rules(file: MatchFile, keys: Keys, heads: Sequence[Head]) -> None:
    """Chance, the chain and who acted, as anybody can see them; in the end the heads."""
    timeline, previous = 0, None
    for number, entry in enumerate(file.entries):
        timeline += entry.kind in OPENS_TIMELINE
        try:
            if entry.seq != number:
                raise AuditError("one is missing or moved")
            _check_actor(entry, file.seats or (Seat(entry.actor),))
            _check_link(file, keys[timeline], previous, entry)
        except AuditError as error:
            raise AuditError("entry {entry}: {reason}", entry=number, reason=error.text) from error
        _check_draws(file, keys, Moment(entry, timeline, None))
        previous = entry
    if previous is None:
        raise AuditError("the file holds no entry")
    for deck in file.decks:
        _check_root(file, keys, deck, deck.cards)
    if file.is_chained:
        _check_seal(file, previous, file.result)
    _check_heads(file, heads)


def _check_root(file: MatchFile, keys: Keys, deck: DeckRoot, cards: tuple[str, ...]) -> None:
    if not 0 <= deck.timeline < len(keys):
        raise _never_shuffled(deck)
    key = keys[deck.timeline]
    if not cards or DeckTree(key, file.match, deck.timeline, deck.deck, cards).root != deck.root:
        raise AuditError("deck {deck} does not fit the root published at the deal", deck=deck.deck)


# --- as a whole ----------------------------------------------------------------------------------


def _check_end(file: MatchFile, last: Moment, may_be_open: bool) -> None:
    """The file says how the match has ended and why, and it has ended with the last entry."""
    game, entry = game_called(file.game), last.entry
    right = _result(game, game.seats(file.setup), last)
    if not right and not may_be_open:
        raise AuditError(
            "entry {entry}: the match is not over with the last entry", entry=entry.seq
        )
    if file.result != right:
        raise AuditError(
            "entry {entry}: the match ends with '{right}', the file says '{said}'",
            entry=entry.seq,
            right=right,
            said=file.result,
        )
    if file.is_chained:
        _check_seal(file, entry, right)


def _check_seal(file: MatchFile, last: Entry, result: str) -> None:
    """What files have said since entries are chained."""
    reason = REASONS.get(last.kind, "") if result else ""
    if last.result != result:
        raise AuditError("entry {entry}: it does not say how the match ends", entry=last.seq)
    if file.reason != reason:
        raise AuditError(
            "entry {entry}: the match ends by '{right}', the file says '{said}'",
            entry=last.seq,
            right=reason,
            said=file.reason,
        )
    if file.head != last.hash:
        raise AuditError(
            "entry {entry}: the head of the file is not the hash of its last entry",
            entry=last.seq,
        )


def _check_heads(file: MatchFile, heads: Sequence[Head]) -> None:
    """Each head of a letter must be that of an entry; of its own, where the letter's is known."""
    if heads and not file.is_chained:
        raise AuditError("the file has no chain to compare the heads of letters with")
    found = {head: _entry_with(file, head) for head in heads}
    known = proved_by(file, heads)
    for head, seq in found.items():
        if head.entry is not None and seq != head.entry:
            raise AuditError(
                "entry {entry}: it does not have the head {said} of the letter",
                entry=head.entry,
                said=head.digits,
            )
        if seq is None and known < 0:
            raise AuditError(
                "no entry has the head {said} of the letter; this is not what was played",
                said=head.digits,
            )
        if seq is None:
            raise AuditError(
                "no entry has the head {said} of the letter; what comes after entry {entry} is not"
                " what was played",
                said=head.digits,
                entry=known,
            )


def proved_by(file: MatchFile, heads: Sequence[Head]) -> int:
    """The last entry that heads of letters fix with all before it; -1 when there is none."""
    return max([seq for head in heads if (seq := _entry_with(file, head)) is not None], default=-1)


def _entry_with(file: MatchFile, head: Head) -> int | None:
    """The number of the entry with a head."""
    return next((e.seq for e in file.entries if e.hash.startswith(head.digits)), None)


# --- chance --------------------------------------------------------------------------------------


Keys = Sequence[bytes]
"""The key of each timeline."""


def _keys(file: MatchFile) -> Keys:
    """Of the secrets that the file reveals; each must be the one that was committed to."""
    key = _key(file, file.secret)
    if commitment(file.match, bytes.fromhex(file.secret)) != file.commitment:
        raise AuditError("the revealed secret does not fit the commitment of the first letter")
    keys, later = [key], list(file.later_secrets)
    for entry in file.entries:
        if entry.kind == "restore":
            if not later:
                raise AuditError("entry {entry}: its secret is not revealed", entry=entry.seq)
            key = _key(file, later[0])
            if commitment(file.match, bytes.fromhex(later.pop(0))) != entry.text:
                raise AuditError(
                    "entry {entry}: the revealed secret does not fit its commitment",
                    entry=entry.seq,
                )
        if entry.kind in OPENS_TIMELINE:
            keys.append(key)
    if later:
        raise AuditError("the file reveals a secret that no entry has begun with")
    return keys


def _key(file: MatchFile, digits: str) -> bytes:
    try:
        secret = bytes.fromhex(digits)
    except ValueError:
        secret = b""
    if not secret or secret.hex() != digits:
        raise AuditError("the secret is not written in lower-case hexadecimal digits")
    return match_key(file.match, secret, file.phrases, file.beacon)


def _check_draws(file: MatchFile, keys: Keys, moment: Moment) -> None:
    entry = moment.entry
    dice = SeededDice(keys[moment.timeline], file.match, moment.timeline, entry.seq)
    try:
        for draw in entry.draws:
            if draw.kind == "roll":
                dice.roll(draw.size, len(draw.result), draw.why)
            else:
                dice.shuffle(range(draw.size), draw.why)
    except ChanceError as error:
        raise AuditError("entry {entry}: {reason}", entry=entry.seq, reason=error.text) from error
    if tuple(dice.draws) != entry.draws:
        raise AuditError("entry {entry}: its draws are not what the secret gives", entry=entry.seq)


def _check_decks(file: MatchFile, keys: Keys, moments: list[Moment]) -> None:
    """Each deck that was dealt has its root, and each root is that of a deck really dealt."""
    game = game_called(file.game)
    shown = [(deck.timeline, deck.deck) for deck in file.decks]
    for moment in moments:
        for draw in moment.entry.draws:
            if draw.kind == "shuffle" and shown.count((moment.timeline, draw.why)) != 1:
                raise AuditError(
                    "entry {entry}: the file must show the root of deck {deck} once",
                    entry=moment.entry.seq,
                    deck=draw.why,
                )
    for deck in file.decks:
        state = _dealt(deck, moments).state
        cards = game.deck(state) if isinstance(game, DeckProofs) else ()
        if len(cards) != deck.leaves:
            raise AuditError(
                "deck {deck} has {count:# card|# cards}, {published:# was|# were} published",
                deck=deck.deck,
                count=len(cards),
                published=deck.leaves,
            )
        if cards != deck.cards:
            raise AuditError(
                "deck {deck} was dealt in another order than the file shows", deck=deck.deck
            )
        _check_root(file, keys, deck, cards)


def _dealt(deck: DeckRoot, moments: list[Moment]) -> Moment:
    """The moment at which a deck was shuffled."""
    for moment in moments:
        shuffled = {draw.why for draw in moment.entry.draws if draw.kind == "shuffle"}
        if moment.timeline == deck.timeline and deck.deck in shuffled:
            return moment
    raise _never_shuffled(deck)


def _never_shuffled(deck: DeckRoot) -> AuditError:
    return AuditError(
        "deck {deck} was never shuffled in timeline {timeline}",
        deck=deck.deck,
        timeline=deck.timeline,
    )
