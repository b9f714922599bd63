"""Whether what the prompt says earns nothing does: a word or a tool in every turn, or a wrong answer."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, less_than_gold, play_scored, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.wrong_for_nothing import wrong_answers_for_something
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED, MOST_TURNS, MOST_ACTS, MUCH, MOSTLY = 4, 40, 4, 0.25, 0.75
"""On how many rows it is tried first, in how many turns, how many words; which share of gold is much, on which rows."""
_NOTHING = regex(
    r"\b(?:no|zero|0|without) (?:points?|rewards?|score|credits?|marks?)\b|\bnot (?:rewarded|scored|credited|paid)\b|"
    r"\b(?:earns?|gives?|gets?|scores?|pays?|brings?|(?:is|are) worth|counts? (?:for|as)) (?:you )?"
    r"(?:nothing|zero|0)\b|"
    r"\b(?:do(?:es)? not|do(?:es)?n't) (?:count|score|earn|pay)\b",
    re.IGNORECASE,
)
_OTHERWISE = regex(r"\b(?:los(?:e|es|ing)|costs?|deduct\w*|unless|except|minus|penalty)\b", re.IGNORECASE)
_WORD = regex(r"(?<![\w<{])[A-Z]{3,}(?![\w>}])|['\"`]([A-Za-z][A-Za-z ]{1,20})['\"`]")
_OF_BEFORE = regex(r"(?:this|that|it|such|then|but)\b", re.IGNORECASE)


@check("G671", needs=("gold",))
def what_is_said_to_earn_nothing_earns_nothing(subject: Subject) -> Iterator[Finding]:
    """What earns nothing, as the prompt says, earns nothing: a word or a tool in every turn, or a wrong answer."""
    yield from wrong_answers_for_something(subject)
    used = canonical_json([gold.turns for gold in some_golds(subject)]).casefold()
    known = {gold.row: _acts(subject, gold, used) for gold in some_golds(subject)}
    for name in list(dict.fromkeys(name for acts in known.values() for name in acts))[:MOST_ACTS]:
        answers = [(row, _in_every_turn(subject, acts[name])) for row, acts in known.items() if name in acts]
        if len(answers) < FEWEST_ROWS or not _earning(subject, answers[:TASTED]):
            continue
        paid = _earning(subject, answers)
        if len(paid) >= max(FEWEST_ROWS, MOSTLY * len(answers)):
            yield _finding(subject, name, paid, len(answers))
            return


def _finding(subject: Subject, name: str, paid: Sequence[Episode], of: int) -> Finding:
    first = paid[0]
    turns = own_turns(first.completion)
    how = f"in {len(turns)} turns and nothing else" if len(turns) > 1 else "as the whole answer"
    return Finding(
        f"It says that {name} earns nothing, but {name} {how} scores {first.reward:g} on {len(paid)} of {of} rows.",
        "Count what was done right, and not how far the episode came.",
        first.row_index, turns, reward_with_parts(first), less_than_gold(subject, first),
    )  # fmt: skip


def _acts(subject: Subject, gold: Gold, used: str) -> dict[str, str | Message]:
    """The words and tools of the sentences that say so, which gold never uses."""
    said = _sentences(prompt_text(subject, gold.row))
    found: dict[str, str | Message] = {}
    for sentence in said:
        words = ["".join(one.groups("")) or one[0] for one in _WORD.finditer(sentence)]
        found |= {word: word for word in words if not re.search(rf"\b{re.escape(word.casefold())}\b", used)}
    for tool in subject.tools_of(gold.row):
        name, about = name_of(tool), description_of(tool)
        spoken_of = any(re.search(rf"\b{re.escape(name)}\b", one) for one in said)
        acts = not required_of(tool) and not only_looks(tool) and f'"{name}"' not in used
        if acts and (spoken_of or _sentences(about)):
            found[name] = call_message(name)
    return found


def _sentences(text: str) -> list[str]:
    """The sentences that say so; with the one before where they begin with a word for what it names."""
    found = []
    before = ""
    for sentence in sentences_of(text):
        if _says_nothing(sentence):
            found.append(f"{before} {sentence}" if _OF_BEFORE.match(sentence.strip()) else sentence)
        before = sentence
    return found


def _says_nothing(sentence: str) -> bool:
    return _NOTHING.search(sentence) is not None and not _OTHERWISE.search(sentence)


def _in_every_turn(subject: Subject, act: str | Message) -> Completion:
    """A word or a call in as many turns as there are, and a text after calls."""
    turns = min(MOST_TURNS, subject.traits.max_turns)
    if isinstance(act, str):
        return act if subject.traits.kind == "single-turn" else [assistant_message(act)] * turns
    return [*[act] * max(1, turns - 1), assistant_message("Done.")]


def _earning(subject: Subject, answers: Sequence[tuple[int, Completion]]) -> list[Episode]:
    """The episodes that earn a good part of what gold earns."""
    low = subject.traits.reward_range[0] if abs(subject.traits.reward_range[0]) < float("inf") else 0.0
    best = {gold.row: gold.reward for gold in some_golds(subject)}
    floor = max(0.0, low)
    return [
        one for one in play_scored(subject, answers)
        if best[one.row_index] > floor and reward_of(one) - floor >= MUCH * (best[one.row_index] - floor)
    ]  # fmt: skip
