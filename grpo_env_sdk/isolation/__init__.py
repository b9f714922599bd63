"""Calling code that other people wrote: deadlines, threads, event loops, random state, tracebacks, imports."""
