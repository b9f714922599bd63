"""The common mistakes of a ported scorer: text that is read as messages, the other way round, and one read as many."""

import re

_TEXT_AS_MESSAGES = re.compile(r"string (?:index out of range|indices must be integers)|'str' object has no attribute")
_MESSAGES_AS_TEXT = re.compile(
    r"got 'list'|not 'list'|not list\b|\(not \"?list|'list' object has no attribute|'in <string>' requires string"
)
_FOR_BATCHES = re.compile(r"(?:missing .*|^(?:row \d+: )?)'(?:completions|prompts)'")
_RAISED = ("TypeError", "AttributeError", "IndexError", "KeyError")


def form_hint(type: str, message: str) -> str:
    """What to do about an error that looks like it; an empty text for any other."""
    if type not in _RAISED:
        return ""
    if _TEXT_AS_MESSAGES.search(message):
        return "Is it `completion`? That is text where the prompt is text. answer_text(completion) takes both forms."
    if _MESSAGES_AS_TEXT.search(message):
        return (
            "Is it `completion`? That is a list of messages where the prompt is one. "
            "answer_text(completion) is the text of its answer."
        )
    if _FOR_BATCHES.search(message):
        return "A function that takes lists, as those for TRL do, is listed as rewards = [from_trl(it)]."
    return ""
