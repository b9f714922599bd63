"""Who samples a turn in training: a writer answers the token policy of the driver; lockstep, or each turn by itself."""
