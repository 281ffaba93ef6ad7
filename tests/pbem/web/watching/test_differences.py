"""Texts written down as what differs: every one comes back, and little is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbem.web.watching.differences import applied, differences

TAGS = st.sampled_from(["<g>", "</g>", "<a b>", "x", " 7 ", "<br>", "", "é"])
TEXTS = st.lists(st.lists(TAGS, max_size=30).map("".join), min_size=1, max_size=6)


@given(TEXTS)
def test_every_text_comes_back(texts: list[str]) -> None:
    found = differences(texts)
    assert [applied(found, place) for place in range(len(texts))] == texts


def test_only_what_differs_is_written() -> None:
    rows = [f"<p>{number}</p>" for number in range(300)]
    other = [*rows[:100], "<p>changed</p>", *rows[101:200], *rows[201:]]
    found = differences(["".join(rows), "".join(other)])
    assert found.edits == [[(101, 102, ["<p>changed</p>"]), (201, 202, [])]] or found.edits == [
        [(100, 101, ["<p>changed</p>"]), (200, 201, [])]
    ]
