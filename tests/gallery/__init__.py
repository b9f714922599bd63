"""Small environments to try checks on: some with one realistic mistake each, some sound that look odd."""
