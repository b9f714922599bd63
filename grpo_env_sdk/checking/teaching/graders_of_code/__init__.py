"""Whether code and tools can pass a grader without a solution."""
