"""Whether the user says to a silent model what gold has to ask for."""

from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

FEWEST_ROWS = 3


def values_of(gold: Gold) -> set[str]:
    """The words of gold's texts and of its arguments."""
    texts = [str(turn.get("content") or "") for turn in gold.turns]
    calls = [function["arguments"] for function in functions_of(gold.turns)]
    texts += [str(value) for arguments in calls if isinstance(arguments, dict) for value in arguments.values()]
    return words_of(" ".join(texts))


def told_for_silence(subject: Subject, most: int) -> Iterator[Finding]:
    """The finding that an empty message gets from the user what other messages do not: the first branch is taken."""
    asked = {row: words for row, gold in list(golds(subject).items())[:most] if (words := _asked_for(subject, gold))}
    silent, idle = (
        {one.row_index: _words_of_user(one, 2) for one in play_answers(subject, [(row, [text] * 3) for row in asked])}
        for text in ("", "lorem ipsum")
    )
    told = {row: hits for row in silent if (hits := asked[row] & silent[row]) and not asked[row] & idle.get(row, hits)}
    if len(told) < max(FEWEST_ROWS, len(asked) / 2):
        return
    mute = play_answers(subject, [(row, _without_words(golds(subject)[row])) for row in told])
    paid = won_of(subject, mute)
    row = next(iter(told))
    yield Finding(
        f"The user tells a model that says nothing what gold has to ask for, on {len(told)} of {len(asked)} rows: "
        f"{quoted(sorted(told[row])[0])} in row {row}, which 'lorem ipsum' does not get"
        + (f"; gold with empty messages instead of its questions scores {paid[0].reward:g}." if paid else "."),
        "Let the user answer an empty message as any other that asks for nothing: look for `or not text`.",
        row, own_turns((paid or mute)[0].completion), sorted(told[row]), "a reply without it",
        severity="error" if len(paid) * 2 > len(told) else "warning",
    )  # fmt: skip


def _asked_for(subject: Subject, gold: Gold) -> set[str]:
    """The words of gold that the user said to it, and not the prompt."""
    in_prompt = words_of(prompt_text(subject, gold.row))
    said = _words_of_user(gold_episodes(subject)[gold.row])
    return {word for word in said & values_of(gold) if word not in in_prompt and len(word) > 1}


def _words_of_user(episode: Episode, most: int | None = None) -> set[str]:
    """The words of the user in the first messages; an answer goes on with empty messages where it is over."""
    users = [message for message in episode.completion[:most] if message["role"] == "user"]
    texts = [str(message.get("content") or "") for message in users]
    return words_of(" ".join(texts))


def _without_words(gold: Gold) -> Completion:
    """Gold's turns, of which those before the last that call nothing are empty."""
    return [turn if turn.get("tool_calls") else {**turn, "content": ""} for turn in gold.turns[:-1]] + [gold.turns[-1]]
