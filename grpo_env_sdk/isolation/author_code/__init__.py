"""What other people's code is: its functions, classes, modules, and the folders that it is imported from."""
