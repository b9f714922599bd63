"""Whether an answer that names several values is right as soon as one of them is."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, form_of_golds, without_form
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 8, "default": 16, "thorough": 80}
MOST_CHARS = 40
"""Longer answers may well contain one another, but for those with something around them that nothing else has."""
_WHOLE = regex(r"<(\w+)>(?:(?!</?\1>).)*</\1>|\{.*\}|\[.*\]|```.*```|\\boxed\{.*\}|[A-Za-z_][\w.]*\(.*\)", re.DOTALL)
MOST_WHOLE = 300
_ASKS_FOR_ONE = regex(
    r"\b(?:(?:exactly|only|just|with|one|a) (?:one|single)|one (?:call|command|answer|block|line|move|action|object)|"
    r"single|nothing else|no other|genau ein\w*|un seul|une seule|un solo|una sola)\b",
    re.IGNORECASE,
)
"""What prompts say that ask for no more than one answer."""
OTHERS, _LOOKED_AT = 4, 8
_PLACES = {"as the first of several answers": 0, "amid several answers": 2, "as the last of several answers": OTHERS}
_FRAMED = "{}, each in the form of an answer"
_ENTIRE = "{}, each one whole"
_ANOTHER = "the answer of another row alone"


THINKING = "in its thoughts, before another answer"


@check("G516", needs=("gold",), severity="warning")
def one_answer_at_a_time(subject: Subject) -> Iterator[Finding]:
    """Gold among the answers of other rows, wherever it is among them, scores less than gold."""
    around = form_of_golds(subject)
    known = [gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort]) if _is_one(gold.text, around)]
    texts = [text for text in dict.fromkeys(gold.text for gold in golds(subject).values()) if _is_one(text, around)]
    form = form_of(texts)
    outcomes = played(subject, (one for gold in known for one in _listed(gold, texts, form)))
    thought = played(subject, (one for gold in known for one in _thought(subject, gold, texts))).get(THINKING)
    if thought and thought.proven(MOSTLY):
        episode = thought.won[0]
        answer = _whole(episode)
        text = golds(subject)[episode.row_index].text.rpartition("</think>")[2]
        yield Finding(
            f"What is right may be in the thoughts alone, with another answer after them, on {thought.share}: "
            f"{quoted(answer, 120)} for {quoted(text)}.",
            "Score only what comes after the thoughts.",
            row=episode.row_index, input=answer, output=episode.reward, expected=less_than_gold(subject, episode),
            severity="error",
        )  # fmt: skip
    elif (won := _everywhere(outcomes)) is not None:
        episode = won.won[0]
        answer, gold = _whole(episode), golds(subject)[episode.row_index].text
        yield Finding(
            f"An answer that names {OTHERS + 1} values is right as soon as one of them is, wherever it is among them, "
            f"on {won.share}: {quoted(answer)} for {quoted(gold)}.",
            "Accept one answer: compare all of it, or the last value in it.",
            row=episode.row_index, input=answer, output=episode.reward, expected=less_than_gold(subject, episode),
            severity="error" if _one_value(texts, form) or _one_is_asked_for(subject, won) else "warning",
        )  # fmt: skip


def _whole(episode: Episode) -> str:
    """The last message, with its thoughts."""
    return str(own_turns(episode.completion)[-1]["content"])


def _listed(gold: Gold, texts: Sequence[str], form: tuple[str, str]) -> Iterator[Variant]:
    """Gold in several places among other answers of the same form."""
    start = texts.index(gold.text) if gold.text in texts else 0
    turned = others_from(texts, start)
    core = without_form(gold.text, form)
    others = [text for text in (without_form(text, form) for text in turned) if not _contains(text, core)][:OTHERS]
    if len(others) == OTHERS:
        yield Variant(_ANOTHER, gold, f"{form[0]}{others[0]}{form[1]}")
        for name, place in _PLACES.items():
            values = [*others[:place], core, *others[place:]]
            yield Variant(name, gold, f"{form[0]}{', '.join(values)}{form[1]}")
            if _WHOLE.fullmatch(gold.text):
                whole = [text for text in turned if _WHOLE.fullmatch(text) and text != gold.text][:OTHERS]
                yield Variant(_ENTIRE.format(name), gold, "\n".join([*whole[:place], gold.text, *whole[place:]]))
            elif "".join(form):
                framed = "\n".join(f"{form[0]}{value}{form[1]}" for value in values)
                yield Variant(_FRAMED.format(name), gold, framed)


def _everywhere(outcomes: Mapping[str, Outcome]) -> Outcome | None:
    """The first outcome where gold wins in every place, among values in one form or each in its own; none if any do."""
    if (another := outcomes.get(_ANOTHER)) is not None and another.won:
        return None
    for how in ("{}", _FRAMED, _ENTIRE):
        found = [outcomes.get(how.format(place)) for place in _PLACES]
        if all(one is not None and one.proven(MOSTLY) for one in found):
            return found[0]
    return None


def _thought(subject: Subject, gold: Gold, texts: Sequence[str]) -> Iterator[Variant]:
    """Gold in the thoughts that the prompt asks for, and the answer of another row after them."""
    core = gold.text.rpartition("</think>")[2].strip()
    others = [other.rpartition("</think>")[2].strip() for other in texts]
    other = next((other for other in others if not _contains(other, core)), None)
    if other and core and "<think>" in prompt_text(subject, gold.row):
        yield Variant(THINKING, gold, f"<think>It is {core}.</think>{other}")


def _is_one(text: str, form: tuple[str, str]) -> bool:
    """Whether a text is short between what all share, or has its own beginning and end."""
    return len(without_form(text, form)) <= MOST_CHARS or (
        len(text) <= MOST_WHOLE and _WHOLE.fullmatch(text) is not None
    )


def _one_is_asked_for(subject: Subject, outcome: Outcome) -> bool:
    """Whether prompts ask for no more than one answer, where several whole ones were given."""
    rows = [episode.row_index for episode in outcome.won[:_LOOKED_AT]]
    whole = outcome.name in map(_ENTIRE.format, _PLACES)
    return whole and all(_ASKS_FOR_ONE.search(prompt_text(subject, row)) for row in rows)


def _contains(one: str, other: str) -> bool:
    return bare(one) in bare(other) or bare(other) in bare(one)


def _one_value(texts: Sequence[str], form: tuple[str, str]) -> bool:
    """Whether the answers are single words or numbers, so that five of them are five answers."""
    return all(len(without_form(text, form).split()) == 1 for text in texts)
