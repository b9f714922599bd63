"""Whether an answer that the prompt asks for is needed, where tools have shown it."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers, won_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

MOST_WORDS, DIFFERENT = 4, 3
_ASKED = regex(
    r"\b(?:answer|reply|respond|say|tell|give|name|state|write|report|how (?:many|much|old|long|far)|what|which|who)\b",
    re.IGNORECASE,
)


@check("G533", kinds=("tools", "multi-turn"), needs=("calls", "gold"))
def the_answer_is_needed(subject: Subject) -> Iterator[Finding]:
    """Gold that says another thing at its end, or nothing, scores less, where the prompt asks for an answer."""
    form = form_of([gold.text for gold in some_golds(subject)])
    known = [gold for gold in some_golds(subject) if _answers(subject, gold, form)]
    if len({gold.text for gold in known}) < DIFFERENT:
        return
    for said in ("", "Done.", "I do not know."):
        played = play_answers(subject, [(gold.row, [*gold.turns[:-1], said]) for gold in known])
        won = won_of(subject, played)
        if as_good_on_most(subject, won, len(played)):
            yield paid(
                subject, won, len(played), "Gold without its answer, which the prompt asks for,",
                "Score the last message of the model alone, and not what tools have shown.",
            )  # fmt: skip
            return


def _answers(subject: Subject, gold: Gold, form: tuple[str, str]) -> bool:
    """Whether gold ends with a short answer that a tool has shown and the prompt asks for and does not have."""
    text, prompt = without_form(gold.text, form).strip().rstrip("."), prompt_text(subject, gold.row)
    shown = " ".join(replies_to_gold(subject, gold.row))
    if any(CHANGES.match(call["name"]) for call in gold_episodes(subject)[gold.row].tool_calls):
        return False  # what was changed may be what counts
    short = 0 < len(text.split()) <= MOST_WORDS and len(gold.turns) > 1
    return short and text in shown and text not in prompt and _ASKED.search(prompt) is not None
