"""What a prompt asks for, offers and shows, read from its text alone."""
