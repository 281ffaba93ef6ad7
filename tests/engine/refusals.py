"""How a test names the reason of a refusal."""

import re


def exactly(message: str) -> str:
    """The pattern for `pytest.raises(..., match=)` that only this message fits."""
    return rf"\A{re.escape(message)}\Z"
