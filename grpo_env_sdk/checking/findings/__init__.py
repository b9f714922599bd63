"""Findings of checks, and the report that collects them."""
