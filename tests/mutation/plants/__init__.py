"""Faults that are planted in sound environments: kinds of mistakes that authors make, each as a class around theirs."""
