"""The processes that other people's code runs in, and those that it starts: fork servers, signals, stdout."""
