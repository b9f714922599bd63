"""Whether answers close to gold that are wrong count, and partial credit grows towards gold."""
