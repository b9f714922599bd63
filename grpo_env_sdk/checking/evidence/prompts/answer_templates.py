"""Templates of answers."""

ANSWER_TEMPLATES = ("{}", "<answer>{}</answer>", "\\boxed{{{}}}", "#### {}", "The answer is {}.", "Answer: {}")
"""Formats that a scorer may expect; the one that scores best is used."""
