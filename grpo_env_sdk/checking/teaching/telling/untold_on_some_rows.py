"""Whether what gold chooses is told on some rows only, and the others differ in nothing that is said."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import gold_episodes, less_than_gold, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import messages_before, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, shows_pictures, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.dialogs import dialogs, told_in
from grpo_env_sdk.checking.evidence.tool_use.exploring import explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

FEWEST, MOST_CHARS = 2, 40
"""On how many rows it has to be untold, and how long a value may be that stands for a row, such as a name."""
Group = list[Choice]
"""Choices of rows on which all is said in the same words, but for names and for what gold chooses besides."""


def untold_on_some_rows(subject: Subject) -> Iterator[Finding]:
    """The finding that gold chooses differently on rows that nothing tells apart, where the others are told."""
    if shows_pictures(subject):
        return
    for (tool, parameter), choices in choices_of(subject).items():
        untold = [one for one in choices if not says(_heard(subject, one), str(one.value))]
        if not FEWEST <= len(untold) <= len(choices) / 2:
            continue
        lost = [one for group in _alike(subject, choices, untold) for one in _lost_with_others(subject, group)]
        if len(lost) >= max(FEWEST, len(untold) / 2):
            choice, episode = lost[0]
            what = f"the {parameter!r} of {tool}" if parameter else "the answer"
            yield Finding(
                f"On {len(untold)} of {len(choices)} rows nobody tells {what}, and several ones are right on rows that "
                f"say the same: {quoted(choice.value)} in row {choice.gold.row}, where that of another such row scores "
                f"{episode.reward:g}. On the other rows it is told.",
                "Let somebody tell it on these rows too, or let gold do what is right where nobody does.",
                choice.gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
                severity="error",
            )  # fmt: skip
            return


def _heard(subject: Subject, choice: Choice) -> str:
    """All that is said before gold chooses."""
    return "\n".join(texts_of(messages_before(gold_episodes(subject)[choice.gold.row].messages, choice.turn)))


def _alike(subject: Subject, choices: Sequence[Choice], untold: Sequence[Choice]) -> list[Group]:
    """The untold ones whose rows say the same, by what they say, where several values are right."""
    values = {str(one.value) for one in choices}
    everywhere = set.intersection(*(set(sentences_of(_heard(subject, one))) for one in choices))
    groups: dict[str, Group] = defaultdict(list)
    for one in untold:
        if not _is_found_elsewhere(subject, one):
            groups[_in_other_words(subject, one, values, everywhere)].append(one)
    return [group for group in groups.values() if len({str(one.value) for one in group}) > 1]


def _in_other_words(subject: Subject, choice: Choice, values: set[str], everywhere: set[str]) -> str:
    """What is heard on not all rows, without what names the row in its prompt and without gold's other values."""
    prompt, row = prompt_text(subject, choice.gold.row), subject.row(choice.gold.row)
    used = [value for _, given in choice.gold.calls for value in given.values()]
    named = [value for value in row.values() if isinstance(value, str) and not any(map(str.isdigit, value))]
    told = [value for value in named if says(prompt, value)]
    masked = {str(value) for value in (*used, *told) if len(str(value)) <= MOST_CHARS}
    text = " ".join(one for one in sentences_of(_heard(subject, choice)) if one not in everywhere)
    for value in sorted(masked - values - {""}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "_", text)
    return text


def _is_found_elsewhere(subject: Subject, choice: Choice) -> bool:
    """Whether a tool, or the user when asked in other ways, tells it, or a tool may that gold does not ask."""
    row, value = choice.gold.row, str(choice.value)
    called = {name for name, _ in choice.gold.calls}
    if any(only_looks(tool) and required_of(tool) and name_of(tool) not in called for tool in subject.tools_of(row)):
        return True  # it may be, to somebody who knows what to look for
    if subject.traits.user == "method" and says(told_in(subject, row, dialogs(subject, row)), value):
        return True
    return any(says(one.reply, value) for seen in explore(subject, [row]).values() for one in seen.opened)


def _lost_with_others(subject: Subject, group: Group) -> list[tuple[Choice, Episode]]:
    """The choices of a group with the episodes of another one's value, which lose."""
    pairs = [(one, next(other.value for other in group if str(other.value) != str(one.value))) for one in group]
    played = play_compared(subject, [(one.gold.row, one.turns(value)) for one, value in pairs])
    lost = {one.row_index: one for one in played if not won_of(subject, [one])}
    return [(one, lost[one.gold.row]) for one in group if one.gold.row in lost]
