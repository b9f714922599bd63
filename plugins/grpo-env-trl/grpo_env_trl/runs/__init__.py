"""The folder of a training: its files, which checkpoints are whole, and whether they can be resumed."""
