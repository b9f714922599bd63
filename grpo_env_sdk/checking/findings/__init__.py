"""What a check reports, and the report that collects it."""
