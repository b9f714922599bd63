"""Whether games and negotiations keep their rules, and can be won."""
