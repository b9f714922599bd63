"""Whether a command is found inside of other words, so that naming a thing of the task gives it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.code_words import code_words
from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 40, "default": 120, "thorough": 500}
FEWEST_ROWS, FIRST, FEWEST_LETTERS, OFTEN = 3, 8, 3, 0.9
"""`OFTEN` is the part of the prompts from which on a word belongs to the rules, and is no thing of a row."""
Case = tuple[int, str, str]
"""A row, a word of its task with a command inside, and one without."""


@check("E356", kinds=("multi-turn",))
def commands_are_words_of_their_own(subject: Subject) -> Iterator[Finding]:
    """A thing of the task whose name has a command inside, as Ostend has `end`, does not end the episode."""
    commands = code_words(subject.loaded.env, subject.rows.columns).texts
    short = [text for text in dict.fromkeys(map(str.casefold, commands)) if text.isalpha()]
    things = _things(subject) if short else {}
    for command in (text for text in short if len(text) >= FEWEST_LETTERS):
        cases = [
            (row, inside[0], others[0])
            for row, words in things.items()
            if (inside := [one for one in words if command in one.casefold() and command != one.casefold()])
            and (others := [one for one in words if command not in one.casefold()])
        ]
        if len(cases) >= FEWEST_ROWS and (ended := _ended(subject, command, cases[:FIRST])):
            yield _finding(command, ended, len(cases), len(things))
            return


def _things(subject: Subject) -> dict[int, list[str]]:
    """The words of each prompt that some other prompts do not have."""
    rows = subject.sample(MOST_ROWS[subject.effort])
    words = {row: list(dict.fromkeys(re.findall(r"[^\W\d_]+", prompt_text(subject, row)))) for row in rows}
    times = Counter(word for known in words.values() for word in known)
    return {row: [word for word in known if times[word] < OFTEN * len(rows)] for row, known in words.items()}


def _ended(subject: Subject, command: str, cases: Sequence[Case]) -> list[Episode]:
    """The episodes that a word ends as the command does, and another word of the same row does not."""
    said = [(row, [text, "", ""]) for row, inside, other in cases for text in (inside, command, other)]
    played = play_answers(subject, said)
    if len(played) < len(said) or any(one.error for one in played):
        return []
    of_case = [played[at : at + 3] for at in range(0, len(played), 3)]
    ended = [one for one, same, other in of_case if (_turns(one), _turns(same)) == (1, 1) and _turns(other) > 1]
    return ended if len(ended) >= FEWEST_ROWS and 2 * len(ended) > len(cases) else []


def _turns(episode: Episode) -> int:
    return len(own_turns(episode.completion))


def _finding(command: str, ended: Sequence[Episode], rows: int, of: int) -> Finding:
    said = str(own_turns(ended[0].completion)[0].get("content"))
    return Finding(
        f"The message {quoted(said)} ends the episode, as {quoted(command)} does, which is a part of it: {rows} of "
        f"{of} rows have such a word in their prompts, and other words of these rows end nothing.",
        f"Look for {command!r} as a word of its own, such as with re.search(r'\\b{command}\\b', text).",
        ended[0].row_index, own_turns(ended[0].completion), ended[0].stop_reason, "an episode that goes on",
    )  # fmt: skip
