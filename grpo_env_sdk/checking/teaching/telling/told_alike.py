"""Whether a user says the same on two rows, but for a name that gold never uses, and means another value on each."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import gold_episodes, less_than_gold, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import required_of
from grpo_env_sdk.checking.evidence.playing.turns import messages_before, own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, shows_pictures, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.dialogs import dialogs, told_in
from grpo_env_sdk.checking.evidence.tool_use.exploring import explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import prompt_messages
from grpo_env_sdk.types import canonical_json

FEWEST = 2
Pair = tuple[Choice, Choice]
"""A row whose value the user says, and one with another value on which the user says the same."""


def told_alike(subject: Subject) -> Iterator[Finding]:
    """The finding that two rows with different gold cannot be told apart."""
    if subject.traits.user != "method" or any(may_only_look(tool) and required_of(tool) for tool in subject.tools):
        return  # a tool may tell more of a name
    for (tool, parameter), choices in choices_of(subject).items():
        pairs = [pair for pair in _pairs(subject, choices) if _never_told_apart(subject, pair)]
        if len(pairs) < FEWEST:
            continue
        played = play_compared(subject, [(other.gold.row, other.turns(one.value)) for one, other in pairs])
        if len(lost := [one for one in played if not won_of(subject, [one])]) < max(FEWEST, len(pairs)):
            continue
        one, other = pairs[0]
        what = f"the {parameter!r} of {tool}" if parameter else "the answer"
        yield Finding(
            f"On {len(pairs)} pairs of rows the user says the same, whatever is asked, and {what} of gold differs: "
            f"{quoted(one.value)} in row {one.gold.row}, which the user says, and {quoted(other.value)} in row "
            f"{other.gold.row}, where {quoted(one.value)} is said too and scores {lost[0].reward:g}.",
            "Let the user say on each row what gold does there, in words that mean nothing else.",
            other.gold.row, own_turns(lost[0].completion), lost[0].reward, less_than_gold(subject, lost[0]),
            severity="error",
        )  # fmt: skip
        return


def _pairs(subject: Subject, choices: Sequence[Choice]) -> Iterator[Pair]:
    """One pair for each text that is heard on several rows before gold chooses differently."""
    groups: dict[tuple[str, ...], list[Choice]] = defaultdict(list)
    for one in choices:
        transcript = gold_episodes(subject)[one.gold.row].messages
        heard = texts_of(messages_before(transcript, one.turn))
        asked = len(texts_of(prompt_messages(subject.row(one.gold.row)["prompt"])))
        groups[tuple(heard[asked:])].append(one)
    for after, group in groups.items():
        said = [one for one in group if says("\n".join(after), str(one.value))]
        unsaid = [one for one in group if one not in said]
        yield from [pair for pair in product(said, unsaid) if _is_name(subject, *pair)][:1]


def _is_name(subject: Subject, one: Choice, other: Choice) -> bool:
    """Whether the prompts are the same but for one word without digits, which gold never uses and nothing else has."""
    texts = [prompt_text(subject, choice.gold.row) for choice in (one, other)]
    words = [re.findall(r"\w+|\W", text) for text in texts]
    if len(words[0]) != len(words[1]):
        return False
    differ = {pair for pair in zip(*words, strict=True) if pair[0] != pair[1]}
    if len(differ) > 1 or shows_pictures(subject):
        return False
    names = [name for pair in differ for name in pair]
    used = canonical_json([one.gold.turns, other.gold.turns])
    apart = all(name.isalpha() and name[0].isupper() and not says(used, name) for name in names)
    return apart and not any(says(texts[at], name) for pair in differ for at, name in enumerate(reversed(pair)))


def _never_told_apart(subject: Subject, pair: Pair) -> bool:
    """Whether the user says the same on both rows in all conversations that are tried, and tools show the same."""
    said = [
        told_in(subject, one.gold.row, dialogs(subject, one.gold.row)).removeprefix(prompt_text(subject, one.gold.row))
        for one in pair
    ]
    rows = [one.gold.row for one in pair]
    replies = [[str(call["content"]) for call in gold_episodes(subject)[row].tool_calls] for row in rows]
    looks = [[one.reply for one in explore(subject, [row])[row].opened] for row in rows]
    return said[0] == said[1] and replies[0] == replies[1] and looks[0] == looks[1]
