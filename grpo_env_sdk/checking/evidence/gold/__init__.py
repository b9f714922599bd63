"""Where gold answers come from: `solve`, a column, or what the scorer compares."""
