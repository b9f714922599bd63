"""Whether an episode has as many turns as its prompt promises."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of, sentences_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, MOST_PROMISED, MOST_TRIES = 20, 500, 60
_ONE_EACH = regex(r"\b(?:each|every|a|one|per) (?:message|turn|reply)\b", re.IGNORECASE)
"""What a prompt says where a turn is one act, and not a list of them."""
_NUMBER = rf"(\d{{1,3}}|{COUNT_WORDS})"
_PROMISED = regex(
    rf"\b(?:you (?:have|get|may (?:use|make|take|send|give|play))|you can (?:use|make|take|send|give|play)|within|"
    rf"there are|up to|at most|after|no more than)(?: (?:up to|at most|exactly))? {_NUMBER} "
    r"(?:commands?|messages?|turns?|moves?|steps?|actions?|guesses|attempts|tries|rounds)\b",
    re.IGNORECASE,
)


_ALLOWED = regex(
    rf"\b(?:may|can|have|get|up to|at most|no more than|allowed)\b(?: \w+){{0,4}}? {_NUMBER} (\w+)", re.IGNORECASE
)
_TURNS = regex(r"commands?|messages?|turns?|actions?|replies|rounds?|acts?", re.IGNORECASE)
"""What an answer is one of, as every act is."""
_OF_WORDS = {"question": "ask", "weighing": "weigh", "shot": "shoot", "dive": "dive", "dig": "dig"}


@check("E352", kinds=("tools", "multi-turn"), needs=("rows",))
def episodes_have_the_turns_that_are_promised(subject: Subject) -> Iterator[Finding]:
    """No prompt promises more turns than an episode has, or as many tries so that none is left for the answer."""
    found = list(_promised(subject)) if subject.traits.kind == "multi-turn" else []
    yield from found or _no_turn_to_answer(subject)


def _promised(subject: Subject) -> Iterator[Finding]:
    most = subject.traits.max_turns
    if subject.traits.runs_tools != "none":
        return  # one message may have several calls
    for row in subject.sample(MOST_ROWS):
        said = prompt_text(subject, row)
        found = [one for one in _PROMISED.finditer(said) if most < count_of(one[1]) <= MOST_PROMISED]
        if found:
            yield Finding(
                f"The prompt speaks of {found[0][0]!r}, and an episode ends after max_turns = {most}.",
                f"Set max_turns to at least {count_of(found[0][1])}, or say in the prompt how many there are.",
                row, output=most, expected=count_of(found[0][1]),
                severity="error" if _ONE_EACH.search(said) else "warning",
            )  # fmt: skip
            return


def _no_turn_to_answer(subject: Subject) -> Iterator[Finding]:
    """The finding that gold's answer comes too late after as many tries as a prompt allows, and not one try earlier."""
    most = subject.traits.max_turns
    asked = {gold.row: _allowed(subject, gold) for gold in some_golds(subject)}
    one_each = subject.traits.runs_tools == "none"  # a larger number of calls may be that of all messages together
    largest = 2 * most if one_each else most
    tried = [gold for gold in some_golds(subject) if most <= asked[gold.row] <= min(largest, MOST_TRIES)]
    if len(tried) < FEWEST_ROWS:
        return
    all_used, one_less = (
        play_answers(subject, [(gold.row, _with_tries(gold, tries)) for gold in tried]) for tries in (most, most - 1)
    )
    late = [one for one in all_used if _is_cut(subject, one)]
    in_time = won_of(subject, one_less)
    if len(late) == len(in_time) == len(tried):
        row = tried[0].row
        yield Finding(
            f"The prompt allows {asked[row]} tries before the answer, and an episode ends after max_turns = {most}: "
            f"gold after {most} tries is cut off before it answers, and scores {in_time[0].reward:g} after {most - 1}.",
            f"Set max_turns to at least {asked[row] + 1}: the answer is a message too.",
            row, own_turns(late[0].completion), most, asked[row] + 1,
            severity="error" if one_each and _ONE_EACH.search(prompt_text(subject, row)) else "warning",
        )  # fmt: skip


def _allowed(subject: Subject, gold: Gold) -> int:
    """How many acts like those before gold's answer the prompt allows; 0 where it says nothing, or several numbers."""
    *tries, answer = gold.turns
    verbs = {_verb(turn) for turn in tries}
    verb = verbs.pop() if len(verbs) == 1 else ""
    if not verb or verb == _verb(answer):
        return 0
    found = {
        count_of(one[1])
        for sentence in sentences_of(prompt_text(subject, gold.row))
        for one in _ALLOWED.finditer(sentence)
        if not _TURNS.fullmatch(one[2]) and _speaks_of(sentence, one[2], verb)
    }
    return found.pop() if len(found) == 1 else 0


def _verb(turn: Message) -> str:
    """The tool of a turn, or its first word."""
    calls = turn.get("tool_calls") or ()
    return str(
        calls[0]["function"]["name"] if calls else (str(turn.get("content") or "").split() or [""])[0]
    ).casefold()


def _speaks_of(sentence: str, noun: str, verb: str) -> bool:
    """Whether what is counted is done with this verb: `test up to 5 bulbs`, or `3 weighings`."""
    stems = {one.rstrip("s") for one in verb.split("_")} | {_OF_WORDS.get(noun.casefold().rstrip("s"), verb)}
    said = f" {sentence.casefold()}"
    return any(len(stem) > 2 and f" {stem}" in said for stem in stems) or _OF_WORDS.get(noun.rstrip("s")) in stems


def _with_tries(gold: Gold, tries: int) -> Turns:
    """Gold with its first act so often before it that it answers after so many."""
    return [gold.turns[0]] * (tries + 1 - len(gold.turns)) + gold.turns


def _is_cut(subject: Subject, episode: Episode) -> bool:
    return episode.stop_reason == "max_turns" and not as_good_as_gold(subject, episode)
