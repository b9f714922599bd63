"""Whether a game that promises different questions asks the same one in each turn."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import TOKEN
from grpo_env_sdk.checking.evidence.shown_texts import pictures_after, prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, FEWEST_TURNS, MOST_TURNS, MOST_TOLD = 6, 3, 3, 20, 4
IDLE = "..."
_NUMBER = rf"(?:\d{{1,2}}|{COUNT_WORDS}|several|mehrere|plusieurs|varios|varias)"
_PROMISED = regex(
    rf"\b(?:I|we|you (?:will |shall )?(?:get|see|be (?:asked|shown|given))|you are (?:asked|shown|given)|"
    rf"there (?:are|will be|follow)|here (?:are|come))\b[^.?!\n]{{0,50}}?\b{_NUMBER} (?:\w+ )?(?:different|distinct)\b|"
    rf"\bich\b[^.?!\n]{{0,50}}?\b{_NUMBER} verschiedene\b|\bno \w+ (?:is asked|comes) twice\b|"
    rf"\b(?:je|on)\b[^.?!\n]{{0,50}}?\b{_NUMBER} \w+ différent\w*\b|\b(?:te|le) \w+[^.?!\n]{{0,50}}?\b{_NUMBER} \w+ "
    r"(?:diferentes|distint[oa]s)\b",
    re.IGNORECASE,
)
_COUNTED = regex(r"\b(?:question|task|round|number|no\.?|frage|aufgabe|runde)\W{0,2}\d+(?: (?:of|von) \d+)?", re.I)


@check("E358", kinds=("multi-turn",))
def questions_that_are_promised_to_differ_differ(subject: Subject) -> Iterator[Finding]:
    """A prompt that promises different questions is not followed by the same one in each turn."""
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    if not rows or not all(_PROMISED.search(prompt_text(subject, row)) for row in rows):
        return
    if golds(subject):
        repeated = {row: one for row in rows if _says_one_thing(one := gold_episodes(subject)[row])}
    else:
        repeated = _told_once(subject, rows)
    asked = {row: question for row, one in repeated.items() if (question := _one_question(one))}
    if len(asked) == len(rows) >= FEWEST_ROWS and len(set(asked.values())) > 1:
        yield _finding(subject, repeated, asked)


def _says_one_thing(gold: Episode) -> bool:
    texts = {str(turn.get("content") or "") for turn in own_turns(gold.completion)}
    return len(texts) == 1 and gold.turns >= FEWEST_TURNS


def _told_once(subject: Subject, rows: Sequence[int]) -> dict[int, Episode]:
    """Episodes in which what the first reply tells is right in all later turns."""
    turns = min(subject.traits.max_turns, MOST_TURNS)
    idle = play_answers(subject, [(row, [IDLE] * turns) for row in rows])
    told = [(one.row_index, word) for one in idle if _one_question(one) for word in _told(one)]
    played = play_answers(subject, [(row, [IDLE, *[word] * (turns - 1)]) for row, word in told])
    return {one.row_index: one for one in played if _paid_each_time(one.step_rewards)}


def _paid_each_time(steps: Sequence[float]) -> bool:
    """Whether all turns but the first earned something."""
    return len(steps) >= FEWEST_TURNS and all(one > NEARLY for one in steps[1:])


def _told(idle: Episode) -> list[str]:
    """The words of the first reply before its question, numbers first."""
    said = reply_to(idle)
    words = TOKEN.findall(said[: said.rfind(_last_sentence(said))])
    return sorted(dict.fromkeys(words), key=lambda word: not word[0].isdigit())[:MOST_TOLD]


def _one_question(episode: Episode) -> str:
    """The question that each turn but the last was answered with; empty where they differ, or there are too few."""
    turns = range(len(own_turns(episode.completion)) - 1)
    asked = {_COUNTED.sub("", _last_sentence(reply_to(episode, turn))).strip() for turn in turns}
    pictures = {pictures_after(episode, turn) for turn in turns}
    return asked.pop() if len(turns) >= FEWEST_TURNS - 1 and len(asked) == len(pictures) == 1 else ""


def _last_sentence(reply: str) -> str:
    return ([one.strip() for one in sentences_of(reply)] or [""])[-1]


def _finding(subject: Subject, repeated: Mapping[int, Episode], asked: Mapping[int, str]) -> Finding:
    row, question = next(iter(asked.items()))
    episode = repeated[row]
    promise = _PROMISED.search(prompt_text(subject, row))
    return Finding(
        f"The prompt says {quoted(promise[0] if promise else '')}, and each turn asks the same: {quoted(question)} "
        f"{episode.turns} times, so that one answer is right in all of them, on {len(asked)} of {len(repeated)} rows.",
        "Create the generator once, in setup, and draw each question from it, or draw all of them with "
        "rng.sample; a generator with the same seed draws the same again.",
        row, own_turns(episode.completion), question, "another question in each turn",
    )  # fmt: skip
