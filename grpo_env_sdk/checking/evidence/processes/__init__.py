"""Fresh processes that import, build and play the environment in other surroundings."""
