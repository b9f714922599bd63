"""Whether an act that is refused, and that changes nothing as the reply says, leaves gold as good as it was."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import messages_before, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import TOKEN, mates_of
from grpo_env_sdk.checking.evidence.shown_texts import answered_alike, prompt_and_tools, prompt_text, reply_to, texts_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, cut_off, looking_tools
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, MOST_ROWS, MOST_KINDS, MOST_LISTED, LOST, ODD_NUMBERS = 4, 12, 4, 8, 0.5, (10**6 + 1, 0, -3)
"""On how many rows an act is tried first, and then; with how many kinds of value, and how many of those that a reply
lists; and which share of gold is lost."""
_REFUSES = regex(
    r"\b(?:refuse[sd]|reject(?:s|ed)|decline[sd]|denied|invalid|unknown|closed|impossible|illegal|forbidden|"
    r"error|failed|sorry|no such|cannot|can't|"
    r"(?:not|n't) (?:possible|allowed|available|valid|enough|found|fit|open|free))\b",
    re.IGNORECASE,
)
_NOTHING = regex(
    r"\bnothing (?:was|is|has been|were|\w+ed|changes|happens)\b|\bunchanged\b|\b(?:costs?|uses?) (?:you )?nothing\b|"
    r"\bno (?:money|changes?|items?|tokens?|points?|turn|move|try|attempt)\b[^.]{0,12}\b(?:was|were|is|has|are)\b|"
    r"\b(?:is|was|were|are|has|have|did|does|do|will)(?: not|n't) (?:been |be )?"
    r"(?:charged|counted|changed|moved|booked|spent|deducted|count)\b|"
    r"\b(?:(?:is|are) still|remains?|stays?) (?:available|free|open|un(?:assigned|placed|sold|taken)|vacant|waiting)\b",
    re.IGNORECASE,
)
"""What a reply says that leaves everything as it was."""
_PROMISED = regex(
    r"\b(refused|rejected|failed|invalid|illegal|impossible|declined|unsuccessful) [^.;\n]{0,30}?"
    r"\b(?:\w+s nothing|(?:is|are) free|(?:do(?:es)?|is|are) not count\w*|(?:try|use|take|choose) (?:again|another|the "
    r"other))|\b(refuse|reject|decline)s?\b[^.\n]{0,80}?[;,.] ?(?:then|so|and) (?:you )?\w+\b[^.;\n]{0,30}?"
    r"\b(?:another|someone else|the next|the other)\b",
    re.IGNORECASE,
)
_COSTS = regex(
    r"\bpenal|\bminus\b|\bdeduct\w* [^.]{0,20}(?:points?|score|reward)|"
    r"\blos(?:es?|ing) (?:you )?(?:\d+(?:\.\d+)?(?= ?(?:points?\b|marks?\b|in\b|of\b|[.,;]|\Z))|points?\b|"
    r"marks?\b|(?:an? |one )?(?:half|third|quarter|tenth|point|mark)\b)|\bsubtract|"
    r"\b(?:lower|reduce)[sd]? [^.]{0,20}\b(?:points?|score|reward|marks?)\b|"
    r"\bpunish|\bfew(?:er|est)\b|\bfirst (?:try|attempt|call|answer)\b|\bmistakes?\b|"
    r"\b(?:one|single|no second|without a failed) (?:try|attempt|chance)\b|\beach (?:call|try|attempt|error)\b|"
    r"\bwithout (?:any )?(?:errors?|refus\w+|failures?)\b|\bmust not be (?:refused|tried)\b|"
    r"\bnever (?:try|call|pay|send)\b",
    re.IGNORECASE,
)
_OF_REFUSED = regex(
    r"\b(?:refus\w+|reject\w*|declin\w+|(?:in)?valid|wrong|failed|fails?|failures?|visits?|tries|try|attempts?)\b",
    re.IGNORECASE,
)
_OF_SCORE = regex(
    r"\b(?:scores?|rewards?|points?|marks?|stars?|paid|pays?|worth|costs?|counts?|counted|in full|half|halve[sd]?|"
    r"thirds?)\b|\bper ?cent\b|\d ?%",
    re.IGNORECASE,
)
_FREE = regex(r"\b(?:nothing|not|no|free|never costs?|without)\b|n't\b", re.IGNORECASE)
"""Where a prompt or a tool says that wrong tries cost something, the score may fall for that reason: in one of these
ways, or in a sentence on them and on the score that does not say that they are free."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A wrong act before gold's own, and what came of it."""

    choice: Choice
    wrong: Any
    episode: Episode
    reply: str

    @property
    def lost(self) -> bool:
        """Whether gold is worth much less after it."""
        return reward_of(self.episode) <= self.choice.gold.reward * LOST


@check("G670", kinds=("tools", "multi-turn"), needs=("acts",))
def what_is_refused_changes_nothing(subject: Subject) -> Iterator[Finding]:
    """Gold after an act that is refused, with a reply that nothing was changed, scores as gold alone."""
    looking = looking_tools(subject)
    found: list[list[Tried]] = []
    for (tool, _), choices in choices_of(subject).items():
        known = [one for one in choices if not _says_that_tries_cost(subject, one)][:MOST_ROWS]
        if tool not in looking and len(known) >= FEWEST_ROWS:
            tried = [some for kind in range(MOST_KINDS) if (some := _all_tried(subject, known, kind))]
            found += tried or [some for some in (_listed_tried(subject, known),) if some]
    lost = [tried for tried in found if sum(one.lost for one in tried) >= max(FEWEST_ROWS, 0.75 * len(tried))]
    if lost:
        kept = any(not one.lost for tried in found if tried not in lost for one in tried)
        yield _finding(subject, [one for one in lost[0] if one.lost], kept)


def _says_that_tries_cost(subject: Subject, choice: Choice) -> bool:
    text = prompt_and_tools(subject, choice.gold.row)
    return _COSTS.search(text) is not None or any(
        _OF_REFUSED.search(one) and _OF_SCORE.search(one) and not _FREE.search(one) for one in sentences_of(text)
    )


def _finding(subject: Subject, lost: Sequence[Tried], kept: bool) -> Finding:
    """An error where it is promised twice, or where other acts that are refused cost nothing."""
    one = lost[0]
    promised = _PROMISED.search(prompt_and_tools(subject, one.choice.gold.row)) is not None
    act = one.choice.turns(one.wrong, whole=False)[0]
    return Finding(
        f"Gold after an act that is refused scores {one.episode.reward:g}, and alone {one.choice.gold.reward:g}, on "
        f"{len(lost)} rows: {turns_text([act])[:100]} gets {quoted(one.reply, 100)}, and gold's own act then "
        "gets the reply that it gets in gold.",
        "Refuse before anything is changed or counted, or let the reply say what was changed.",
        one.choice.gold.row, own_turns(one.episode.completion), reward_with_parts(one.episode),
        f"{one.choice.gold.reward:g}", severity="error" if promised or kept else "warning",
    )  # fmt: skip


def _all_tried(subject: Subject, choices: Sequence[Choice], kind: int) -> list[Tried]:
    """What comes of one kind of wrong act, where its replies say that nothing was changed; on a few rows first."""
    values = list(dict.fromkeys(one.value for one in choices))
    pairs = [(one, wrong) for one in choices if (wrong := _wrong(subject, one, values, kind)) is not None]
    found: list[Tried] = []
    for some in (pairs[:TASTED], pairs[TASTED:]):
        answers: list[tuple[int, Completion]] = [(one.gold.row, one.turns(wrong, one.value)) for one, wrong in some]
        played = zip(some, play_answers(subject, answers), strict=False)
        new = [Tried(one, wrong, episode, reply_to(episode, one.turn)) for (one, wrong), episode in played]
        found += [one for one in new if _was_refused(subject, one)]
        if not found:
            break
    return found if len(found) >= FEWEST_ROWS else []


def _listed_tried(subject: Subject, choices: Sequence[Choice]) -> list[Tried]:
    """On each row the first of the values that a reply lists beside the right one that is refused without a change."""
    found: list[Tried] = []
    for some in (choices[:TASTED], choices[TASTED:]):
        for choice in some:
            before = messages_before(gold_episodes(subject)[choice.gold.row].completion, choice.turn)
            listed = list(dict.fromkeys(listed_beside(choice.value, texts_of(before))))[:MOST_LISTED]
            played = play_answers(subject, [(choice.gold.row, choice.turns(wrong, choice.value)) for wrong in listed])
            tried = [
                Tried(choice, wrong, episode, reply_to(episode, choice.turn))
                for wrong, episode in zip(listed, played, strict=False)
            ]  # fmt: skip
            found += [one for one in tried if _was_refused(subject, one)][:1]
        if not found:
            break
    return found if len(found) >= FEWEST_ROWS else []


def _wrong(subject: Subject, choice: Choice, values: Sequence[Any], kind: int) -> Any:
    """A wrong value: one that is shown beside the right one, of another row, one that exists nowhere, an odd number."""
    others = [value for value in values if value != choice.value]
    if kind == 0:
        return _shown_beside(subject, choice)
    if kind == 1:
        return others[0] if others else None
    if kind == 2:
        return wrong_value(choice.value)
    return ODD_NUMBERS[0] if type(choice.value) is int else None


def _shown_beside(subject: Subject, choice: Choice) -> str | int | None:
    """Another value of the same form that the prompt or a reply before the act has."""
    before = messages_before(gold_episodes(subject)[choice.gold.row].completion, choice.turn)
    shown = TOKEN.findall(" ".join([prompt_text(subject, choice.gold.row), *texts_of(before)]))
    alike = mates_of(str(choice.value), set(shown))
    mate = next((one for one in shown if one in alike), None)
    if mate is None or isinstance(choice.value, str):
        return mate
    return int(mate) if mate.isdecimal() else None


def _was_refused(subject: Subject, tried: Tried) -> bool:
    """Whether the wrong act was refused without a change, as it says, and gold's own was carried out afterwards."""
    gold, turn = gold_episodes(subject)[tried.choice.gold.row], tried.choice.turn
    if not was_scored(tried.episode) or cut_off(tried.episode) or tried.choice.gold.reward <= 0:
        return False
    if not _says_so(subject, tried) or len(own_turns(tried.episode.completion)) < turn + 2:
        return False
    return answered_alike(tried.episode, gold, turn + 1, turn)


def _says_so(subject: Subject, tried: Tried) -> bool:
    """Whether the reply refuses the act without a change, or does so in the word of which a prompt promises that."""
    if _NOTHING.search(tried.reply):
        return _REFUSES.search(tried.reply) is not None
    promised = {
        (found[1] or found[2]).casefold()
        for found in _PROMISED.finditer(prompt_and_tools(subject, tried.choice.gold.row))
    }
    return any(word in tried.reply.casefold() for word in promised)
