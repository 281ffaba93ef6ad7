"""How boards look in letters: the way to try it out, and what the links of the test letter do."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from pbem.board_shapes import Shape
from pbem.errors import Refused
from pbem.services.records.player_rows import PlayerRecord
from pbem.services.self_service import checkups
from pbem.web.shared.context import in_words, now, outdated, refused
from pbem.web.shared.link_access import player_by

pages = Blueprint("boards", __name__)


@pages.route("/boards/<token>", methods=["GET", "POST"])
def boards(token: str) -> ResponseReturnValue:
    """One form, one button: send the test letter, or take what it showed for straight."""
    link, player = player_by("boards", token)
    if player.epoch != link.epoch:
        return outdated(why="renewed")
    if link.form:
        return _chosen(player, checkups.shape_of(link.form, link.width))
    return _tried(player)


def _chosen(player: PlayerRecord, shape: Shape) -> str:
    done = request.method == "POST"
    if done:
        player = checkups.choose(player.id, shape)
    return render_template("web/you/boards.html", shape=shape, done=done)


def _tried(player: PlayerRecord) -> ResponseReturnValue:
    values = {"address": player.address, "done": False, "refusal": ""}
    if request.method != "POST":
        return render_template("web/you/checkup.html", **values)
    try:
        checkups.send(player, now())
    except Refused as refusal:
        values["refusal"] = in_words(refusal)
        return refused(render_template("web/you/checkup.html", **values), refusal)
    return render_template("web/you/checkup.html", **{**values, "done": True})
