"""Event loops for other people's coroutines."""
