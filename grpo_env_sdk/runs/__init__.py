"""Runs on disk: read, written, signed; a run folder of somebody else is data."""
