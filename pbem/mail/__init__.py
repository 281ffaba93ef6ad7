"""Letters: what they say, how they become bytes, how the bytes are handed over."""
