"""Models by hub id, folder, adapter or run: finding and loading them."""
