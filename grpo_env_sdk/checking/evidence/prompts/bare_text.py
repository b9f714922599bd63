"""How two texts are compared where only their words count."""


def bare(text: str) -> str:
    """A text without case, extra spaces and punctuation around it."""
    return " ".join(text.split()).strip(".!?,;:*'\"` ").casefold()
