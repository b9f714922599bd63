"""A form that decides the score, where some prompts ask for it and others do not name it at all."""

import re
from collections.abc import Callable, Iterator

from grpo_env_sdk.checking.evidence.attempts.guesses import without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text, prompt_messages
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, MOST_LOOKED_AT = {"quick": 8, "default": 12, "thorough": 40}, 200
FEWEST_ROWS = 3
_MARKS = regex(r"<\w+>|\\boxed|####|\[\[|```|\*\*|\"\w+\":|(?:^|\n)[^\W\d_][\w ]{1,20}:")
_SPOKEN_OF = regex(
    r"\b(?:tags?|xml|box(?:ed)?|hash\w*|brackets?|braces|bold|asterisks?|stars|json|keys?|fences?|code block|markdown|"
    r"latex|label\w*|prefix\w*|formats?|format\w+|template)\b|```|####|\\boxed",
    re.IGNORECASE,
)
"""Words by which a prompt may mean a form that it does not write out."""


def asked_by_some(subject: Subject, form: tuple[str, str], place: Callable[[str], str]) -> Iterator[Finding]:
    """The finding that the right answer without a form loses in rows whose prompts do not name it, as others do."""
    marks = [found.strip().casefold() for found in _MARKS.findall(form[0])]
    prompts = {gold.row: _whole_prompt(subject, gold) for gold in list(golds(subject).values())[:MOST_LOOKED_AT]}
    named = [row for row, prompt in prompts.items() if marks and marks[-1] in prompt.casefold()]
    silent = [row for row in prompts if row not in set(named) and not _SPOKEN_OF.search(prompts[row])]
    if len(named) < FEWEST_ROWS or len(silent) < FEWEST_ROWS:
        return
    known = [golds(subject)[row] for row in silent[: MOST_ROWS[subject.effort]]]
    cores = {gold.row: without_form(place(gold.text), form).strip() for gold in known}
    ways = {"bare": "{}", "other": "The answer is {}", "below": "I have worked it out.\n\n{}"}
    outcomes = played(
        subject, [Variant(name, gold, way.format(cores[gold.row])) for gold in known for name, way in ways.items()]
    )
    shown = outcomes.get("bare")
    if shown is None or any(outcome.won for outcome in outcomes.values()):
        return
    lost = sum(loses_half(subject, one) for one in shown.episodes)
    if lost < max(FEWEST_ROWS, MOSTLY * len(shown.episodes)):
        return
    episode = shown.episodes[0]
    said, gold = answer_text(episode.completion), golds(subject)[episode.row_index]
    yield Finding(
        f"{len(named)} of {len(prompts)} prompts ask for {marks[-1]!r}, and {len(silent)} do not mention it, where it "
        f"decides the score too: {quoted(said)} scores {episode.reward:g} in row {episode.row_index}, and "
        f"{quoted(gold.text)} {gold.reward:g}.",
        "Ask for the form in every wording of the prompt, or accept the answer without it.",
        episode.row_index, said, episode.reward, gold.reward,
    )  # fmt: skip


def _whole_prompt(subject: Subject, gold: Gold) -> str:
    """All messages of a prompt, with those of the assistant, which may show the form."""
    return "\n".join(str(message.get("content")) for message in prompt_messages(subject.row(gold.row)["prompt"]))
