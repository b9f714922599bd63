"""The environment under test, and how its episodes are played."""
