"""Checks of episodes: equal beginnings, equal courses, nothing left over, ends that are told as what they are."""
