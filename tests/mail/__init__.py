"""Letters: what they say, how they are built, how they are sent."""
