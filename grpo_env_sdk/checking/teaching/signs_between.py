"""Whether the sign between the items of an answer, without which it scores nothing, is asked for."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import Gold, golds, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, played, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text

FEWEST_ROWS, MOSTLY, MOST_CHARS, LOST = 6, 0.75, 80, 0.5
"""On how many rows and on what share gold has the sign, how long gold is, and the part of its reward that is lost."""
_BETWEEN = re.compile(r"(?<=\S) ([^\w\s,;]{1,3}) (?=\S)")
_OF_COURSE = {"+", "-", "−", "*", "/", "=", "<", ">", "×", "&"}  # noqa: RUF001  # what authors write
"""Signs with a meaning of their own, which other ones do not have."""
_OTHERS = (", ", " x ", " * ", " ")


def unmentioned_signs(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that gold puts a sign between its items that no prompt shows, and that every other one loses."""
    with_sign = [gold for gold in known if len(gold.text) <= MOST_CHARS and _BETWEEN.search(gold.text)]
    signs = {sign for gold in with_sign for sign in _BETWEEN.findall(gold.text)}
    if len(with_sign) < max(FEWEST_ROWS, MOSTLY * len(known)) or len(signs) != 1 or signs <= _OF_COURSE:
        return
    between = f" {signs.pop()} "
    if between in " ".join([str(subject.tools), *(prompt_text(subject, gold.row) for gold in known)]):
        return
    tried = [Variant(other, gold, gold.text.replace(between, other)) for other in _OTHERS for gold in with_sign]
    outcomes = played(subject, tried)
    rewards = golds(subject)
    of_all = [episode for outcome in outcomes.values() for episode in outcome.episodes]
    kept = [one for one in of_all if (one.reward or 0.0) > LOST * rewards[one.row_index].reward]
    if len(outcomes) < len(_OTHERS) or kept:
        return
    episode = of_all[0]
    said, gold = answer_text(episode.completion), rewards[episode.row_index]
    yield Finding(
        f"A sign that no prompt shows decides the score: {quoted(said)} scores {episode.reward:g}, and "
        f"{quoted(gold.text)} {gold.reward:g}, and each of {len(_OTHERS)} other signs loses on {len(with_sign)} rows.",
        f"Show in the prompt that items are separated by {quoted(between)}, or compare the items alone.",
        row=episode.row_index, input=said, output=episode.reward, expected=gold.reward, severity="warning",
    )  # fmt: skip
