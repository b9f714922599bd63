"""Whether a game is paid as won although its last reply says that the other side has won it, or took the last piece."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    as_good_as_gold,
    episodes_seen,
    gold_episodes,
    golds,
    play_scored,
    too_good,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, said_or_called
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.searching.alphabet import name_of_act
from grpo_env_sdk.checking.teaching.games.counted_takes import OTHER, TAKE, last_taker
from grpo_env_sdk.checking.teaching.games.line_games import own_marks
from grpo_env_sdk.checking.teaching.games.moves_out_of_range import range_of_moves
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_ACTS, MOST_TIMES, FEWEST_ROWS = 8, 4, 30, 3
"""On how many rows how many acts are repeated, how often at most, and on how many rows a lost game is paid."""
_LOST = regex(
    rf"\byou(?:'ve| have)? (?:lose|lost)\b(?! (?:a|an|one|your|the|this|that|some|\d)\b)|"
    rf"\b(?:{OTHER}|(?-i:[XO]))(?:'ve|'s| have| has)? (?:wins?|won)\b(?! (?:a|an|one|some|\d)\b)|"
    r"\byou are (?:mated|checkmated|beaten|defeated)\b",
    re.IGNORECASE,
)
_NOT_LOST = regex(
    r"\byou(?:'ve| have)? (?:win|won)\b|\b(?:if|when|unless|until|would|could|can|not|n't|never|whoever|who|round|hand|"
    r"trick|set|leg|points?|bid|lot|argument)\b",
    re.IGNORECASE,
)
"""Words of replies that say whose the game is, and of those that may speak of a part of it."""
_TAKEN = regex(
    rf"\b(?P<who>you|{OTHER})(?: now| then| just)? {TAKE}(?: away| up| off)? "
    r"(?P<count>\d+|no|none|nothing|zero|one|two|three|four|five|six|the (?:last|rest|remaining)|all)\b",
    re.IGNORECASE,
)
_NOTHING = ("0", "no", "none", "nothing", "zero")
_NONE_LEFT = regex(
    r"\b(?:0|no|none|zero|nothing)\b(?: \w+){0,2} (?:left|remain\w*)\b|\bleav(?:es|ing) (?:0|none|nothing|no \w+)\b|"
    r"\b(?:left|remaining|remains?|pile|heap)\b\W{1,3}0(?![\w.])|\bthe last\b",
    re.IGNORECASE,
)
_LAST_ONE = regex(
    r"\b(?:(?:tak\w+|took|remov\w+|pick\w*|draw\w*|eat\w*|claim\w*|grab\w*|get\w*) (?:up )?the (?:very )?last|"
    r"(?:wer|who|wenn du) (?:das|den|die) letzte\w*|(?:prends?|retire|enlève) (?:la|le) derni[eè]re?|"
    r"(?:tom|quit|sac|cog|coj|retir)\w+ (?:la|el) últim[oa])\b",
    re.IGNORECASE,
)
_OUTCOME = regex(
    r"\b(?:(w[io]n(?:s|ner|ning)?|gewinn(?:t|st)|gagne|gana)|los(?:e|es|er|t|ing)|verlier(?:t|st)|perd|pierde)\b", re.I
)
_OF_A_GAME = regex(
    r"\b(?:w[io]n|wins|winn\w+|los(?:e|es|t)|beat\w*|opponent\w*|against|versus|gewinn\w+|verlier\w+|gagn\w+|perd\w*|"
    r"gan[ae]\w*|pierd\w+)\b",
    re.IGNORECASE,
)
"""What a prompt says of a game with another side."""
_LOSE = regex(
    r"\b(?:let|lass\w*|laisse\w*|dej[ae]\w*|on purpose|deliberately|absichtlich|to lose|(?:must|should|to|I) win|"
    r"make sure|help\w*|child|beginner)\b",
    re.IGNORECASE,
)
"""What it may say where losing is the task."""
_BY_LAST = "the other side has won by the rule of the last one"
_BY_WORDS = "its last reply says that it is lost"


@check("G653", kinds=("tools", "multi-turn"))
def lost_games_are_not_paid(subject: Subject) -> Iterator[Finding]:
    """A game scores less than gold where its last reply says that the other side has won, or took the last one."""
    of_gold = [how for row in golds(subject) if (how := _how_lost(subject, gold_episodes(subject)[row]))]
    always = len(of_gold) >= max(FEWEST_ROWS, len(golds(subject))) and {*of_gold} == {_BY_LAST}
    if of_gold and (not always or _to_lose(subject)):
        return  # to lose may be what is asked for
    lost = {one.row_index: one for one in _played(subject) if as_good_as_gold(subject, one) and _how_lost(subject, one)}
    if len(lost) < FEWEST_ROWS:
        return
    episode = min(lost.values(), key=lambda one: len(own_turns(one.completion)))
    how = _how_lost(subject, episode)
    said = quoted(turns_text(own_turns(episode.completion)), 100)
    yield Finding(
        f"A game is paid as won although {how}, on {len(lost)} rows: {said} ends with "
        f"{quoted(_last_reply(episode), 100)} and scores {episode.reward:g}.",
        "Note who made the last move, or who has won, and pay for that; not for the end of the game.",
        *too_good(subject, episode),
        severity="error" if golds(subject) or how == _BY_LAST else "warning",
    )  # fmt: skip


def _to_lose(subject: Subject) -> bool:
    """Whether a prompt may ask to lose."""
    return any(_LOSE.search(prompt_text(subject, row)) for row in golds(subject))


def _played(subject: Subject) -> list[Episode]:
    """The episodes played so far, and some in which one act is repeated: a legal number, or one of gold's."""
    known = list(golds(subject).values())[:MOST_ROWS]
    acts = {name_of_act(act): act for gold in known for act in map(said_or_called, acts_of(gold))}
    times = min(subject.traits.max_turns, MOST_TIMES)
    tried: list[tuple[int, Completion]] = []
    rows = [row for row in subject.sample(MOST_ROWS) if _OF_A_GAME.search(prompt_text(subject, row))]
    for row in rows:
        numbers = [str(number) for number in range_of_moves(prompt_text(subject, row))]
        texts = numbers if subject.traits.kind == "multi-turn" else []
        tried += [(row, [act] * times) for act in [*texts, *acts.values()][:MOST_ACTS]]
    return [*play_scored(subject, tried), *filter(was_scored, episodes_seen(subject))]


def _how_lost(subject: Subject, episode: Episode) -> str:
    """How the last reply of an episode says that the other side has won; empty where it does not."""
    reply, prompt = _last_reply(episode), prompt_text(subject, episode.row_index)
    loser = _loser(prompt)
    if loser and loser == (_taker(reply) or last_taker(prompt, episode)):
        return _BY_LAST
    marks = own_marks(prompt)
    said = [found for sentence in sentences_of(reply) for found in _LOST.findall(sentence)]
    clear = [one for one in said if not _NOT_LOST.search(reply) and not marks & set(str(one).split())]
    return _BY_WORDS if clear else ""


def _last_reply(episode: Episode) -> str:
    return (texts_of(episode.completion[episode.opening :]) or [""])[-1]


def _taker(reply: str) -> str:
    """Who took the last piece, as a reply says; empty where some are left, or it says nothing of it."""
    taken = list(_TAKEN.finditer(reply))
    if not taken or not _NONE_LEFT.search(reply):
        return ""
    last = taken[-1]
    own = last["who"].casefold() == "you"
    return "you" if own == (last["count"].casefold() not in _NOTHING) else "other"


def _loser(prompt: str) -> str:
    """Who of these must not take the last piece, as a prompt says; empty where it says nothing of it."""
    found = set()
    for sentence in (part for whole in sentences_of(prompt) for part in whole.split(";")):
        if last := _LAST_ONE.search(sentence):
            after, before = _OUTCOME.search(sentence, last.end()), list(_OUTCOME.finditer(sentence, 0, last.start()))
            outcome = after or (before[-1] if before else None)
            found |= {"other" if outcome[1] else "you"} if outcome else set()
    return found.pop() if len(found) == 1 else ""
