"""The correspondence service: board games by mail, over the rules in `engine`."""
