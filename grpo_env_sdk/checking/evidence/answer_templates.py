"""How an answer may have to be written."""

ANSWER_TEMPLATES = ("{}", "<answer>{}</answer>", "\\boxed{{{}}}", "#### {}", "The answer is {}.", "Answer: {}")
"""How an answer may have to be written; the one that scores best is taken."""
