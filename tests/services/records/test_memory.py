"""What a process remembers: bounded, the latest, and each thing worked out once."""

from __future__ import annotations

from pbem.services.records.memory import Memory


def test_what_is_known_is_not_worked_out_again() -> None:
    memory, done = Memory[str](2), list[str]()

    def work() -> str:
        done.append("worked")
        return "an answer"

    assert memory.answer("a key", work) == memory.answer("a key", work) == "an answer"
    assert done == ["worked"]


def test_what_was_not_asked_for_goes_first() -> None:
    memory = Memory[int](2)
    memory.keep("one", 1)
    memory.keep("two", 2)
    memory.recall("one")
    memory.keep("three", 3)

    assert memory.recall("two") is None
    assert (memory.recall("one"), memory.recall("three")) == (1, 3)


def test_there_are_never_more_than_so_many() -> None:
    memory = Memory[int](5)
    for number in range(100):
        memory.keep(number, number)

    assert [memory.recall(number) for number in range(100)].count(None) == 95
