"""How many of the environments that adapters bring are made, solved, told from chance, and clean."""
