"""Words that replies have whatever the row is, which tell nothing of it: `no` in `no ticket 7`."""

from collections.abc import Mapping

from grpo_env_sdk.checking.evidence.secret_words import ByRow, says

FEWEST_OTHERS = 2


def without_words_in_any_reply(found: ByRow, replies: Mapping[int, str]) -> ByRow:
    """The words of each row without those that most replies have on rows that have other words."""
    words = {word for row in replies for word in found.get(row, ())}
    of_others = {word: [text for row, text in replies.items() if word not in found.get(row, ())] for word in words}
    stock = {word for word, others in of_others.items() if _is_in_most(word, others)}
    return {row: own - stock for row, own in found.items()}


def _is_in_most(word: str, texts: list[str]) -> bool:
    return len(texts) >= FEWEST_OTHERS and 2 * sum(says(text, word) for text in texts) > len(texts)
