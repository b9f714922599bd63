"""Checks of cost: the time and memory that episodes take here, and what they leave behind."""
