"""Letters about the own account: addresses, the way to the own page."""

from __future__ import annotations

from pbem import board_shapes as shapes
from pbem.board_shapes import Shape
from pbem.links import BoardLink, ConfirmLink, KeepLink
from pbem.mail import letters, parts, times
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.kinds.kind import LetterKind, is_for_player_epoch, to_player
from pbem.services.letters.reader_context import ReaderContext
from pbem.services.match.joining import is_vouched_for
from pbem.services.records import announcements
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import FORMING, find_match, get_match
from pbem.services.seats import live_links
from pbem.services.self_service import address_changes, checkups


def _confirm(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    match = get_match(str(letter.about["match"]))
    link = ConfirmLink(context.player.id, context.player.epoch, match.id)
    url = context.links.url("confirm", link)
    return letters.confirm(
        context.reader_of(link), match.game.title.in_(context.language), context.site, url
    )


def confirm_letter_current(letter: QueuedLetter) -> bool:
    """Whether the match that a confirmation is for still waits for it."""
    if not is_for_player_epoch(letter):
        return False
    match = find_match(str(letter.about["match"]))
    return match is not None and match.status == FORMING and not is_vouched_for(match)


def _you(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    return letters.you(context.reader_with(live_links.to_own_page(context.player)), context.site)


def _checkup(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    """Samples of a board, with a link each for whoever finds it straight."""

    def sample(shape: Shape) -> parts.Sample:
        return parts.Sample(shapes.ruler(shape.width), context.sample(shape), url(shape))

    def url(shape: Shape) -> str:
        link = BoardLink(context.player.id, context.player.epoch, shape.form, shape.width)
        return context.links.url("boards", link)

    return letters.checkup(
        context.reader,
        context.site,
        [sample(shape) for shape in shapes.SAMPLES],
        [sample(shape) for shape in shapes.PAGE_SAMPLES],
        url(shapes.NONE_STRAIGHT),
    )


def _address(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    link = ConfirmLink(context.player.id, context.player.epoch)
    return letters.address(
        context.reader_of(link), context.site, context.links.url("confirm", link)
    )


def address_letter_current(letter: QueuedLetter) -> bool:
    """Whether a change of address still waits to be confirmed."""
    if not is_for_player_epoch(letter):
        return False
    change = address_changes.find(int(letter.about["change"]))
    return change is not None and change.ended_at is None


def _account(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    """What a moderator did about the reader, in the words that were read beforehand."""
    words = announcements.unpacked(letter.about["words"])
    change = letter.about.get("change")
    stop = KeepLink(int(change), context.player.id, context.player.epoch) if change else None
    return letters.account(
        context.reader,
        context.site,
        announcements.said(words, None, lambda at: times.moment(at, context.reader)),
        str(letter.about["reason"]),
        context.player.confirmed_at is not None,
        context.links.url("keep", stop) if stop else "",
    )


KINDS = (
    LetterKind(
        "confirm",
        to_player(_confirm),
        confirm_letter_current,
        is_open=True,
        is_unasked=True,
    ),
    LetterKind("you", to_player(_you), is_for_player_epoch, is_open=True, is_unasked=True),
    LetterKind(checkups.LETTER, to_player(_checkup), is_for_player_epoch, is_open=True),
    LetterKind("address", to_player(_address), address_letter_current),
    LetterKind("account", to_player(_account)),
)
