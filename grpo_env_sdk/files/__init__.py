"""Files and folders: written whole, where those of the user are, and what a person reads of an unusable path."""
