"""Which checks run, in which process, until when."""
