"""Finding what is installed: entry points, names, plugins and their hooks."""
