"""Whether a wrong try before each right one costs nothing where a prompt allows one try."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, prompt_text, replies_to_gold, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Turns,
    acts_of,
    as_good_on_most,
    compared_turns,
    paid,
    played_turns,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED = 4
"""On how many rows wrong tries are made first."""
_TRY = r"(?:try|attempt|guess|chance|shot)"
_OF_A_TURN = (
    r"(?:per|each|every|a|an|in each|in every|at a|for each|for every) "
    r"(?:turn|message|time|line|letter|move|reply|step|number|day|hint)\b"
)
_FIRST = regex(
    r"\b(?:only|just|always) (?:the|your) (?:very )?first\b(?! (?:line|word|character|sentence|digit|row|column)s?\b)"
    r"[^.;\n]{0,40}?\b(?:counts?|decides|(?:is|will be|gets) (?:scored|graded|counted|marked|accepted|taken|used))\b|"
    r"\b(?:the|your) first (?:answer|reply|choice|call|letter|option|number|one|vote|guess|submission)"
    r"(?: (?:that )?you (?:\w+ ){1,3}?)?(?: alone)? ?(?:counts?|is final|decides)\b|"
    r"\b(?:later|further|second|other) (?:answers?|tries|attempts?|guess(?:es)?|submissions?|calls?|choices?|ones?) "
    r"(?:are|is|will be|do|does) (?:ignored|discarded|not count\w*|not (?:scored|graded))\b",
    re.IGNORECASE,
)
"""What a prompt or a schema says where no later try can count, whatever the reply to the first one was."""
_ONE_TRY = regex(
    rf"(?<!more than )(?<!at least )(?<!after )(?<!every )\b(?:one|a single|1|only one) {_TRY}\b(?! {_OF_A_TURN})|"
    rf"\bno second {_TRY}\b|"
    rf"\b(?:your|the) first (?:answer|reply|choice|call|{_TRY})s? (?:alone )?(?:counts?|is final)\b|"
    r"\banswers? (?:cannot|can't|may not|must not) be (?:changed|corrected|repeated|taken back)\b|"
    r"\b(?:answer|guess|answered|guessed|tried)(?: (?:each|every|a|the|it)\b(?! letter)(?: \w+)?)? only once\b|"
    r"\b(?:einen|ein einziger|einen einzigen) Versuch\b|\bun seul essai\b|\bune seule (?:tentative|réponse)\b|"
    r"\bun solo (?:intento|tentativo)\b|\buma única tentativa\b",
    re.IGNORECASE,
)
_MAY = r"\b(?:may|can|must|(?:are|is) allowed to|gets? to|have to|has to)"
_CHOOSES = r"(?P<{}>open|pick|choose|select|draw|lift|press|cut|pull|accuse|arrest|unlock|uncover|reveal|click)"
_ONE = r"(?:one|a single|1) \w+"
_ONE_CHOICE = regex(
    rf"{_MAY} (?:only|just) {_CHOOSES.format('only')} (?:exactly )?{_ONE}\b|"
    rf"{_MAY} {_CHOOSES.format('verb')} (?:(?:only|just|exactly|no more than|at most) {_ONE}|"
    rf"{_ONE} (?:only|and no more))\b(?! (?:if|when|while|with|by|in|as)\b)|"
    rf"\bonly {_ONE} (?:may|can|must) be {_CHOOSES.format('be')}",
    re.IGNORECASE,
)
"""What a prompt says where a thing is chosen once, such as a chest to open."""
_AGAIN = regex(
    r"\b(?:each|every|per|times?|turns?|rounds?|again|another|next|then|until|unless|before|after)\b", re.IGNORECASE
)
"""What its sentence says where that holds for a while only."""
_TAKES_TRIES = regex(
    r"answer|guess|(?<![a-z])tr(?:y|ies)(?![a-z])|attempt|submit|hand.?in|solution|solve",
    re.IGNORECASE,
)
_WRONG = regex(
    r"\b(?:wrong|incorrect|false|no|nope|not|miss(?:ed)?|sorry|unfortunately|falsch|leider|nein|faux|non|incorrecto|"
    r"sbagliato|errado|empty|nobody)\b|n't\b|\bnothing (?:in|there|here|inside)\b|\bf(?:ind|ound) nothing\b",
    re.IGNORECASE,
)
_UNCOUNTED = regex(
    r"\bno such\b|\bunknown\b|\b(?:in)?valid\b|\bnot (?:an? |one of|understood|recogni|allowed|counted|accepted)|"
    r"(?:not|n't) (?:count|exist)\b|\bno \w+ (?:called|named|with)\b|\bmust\b|\bunusable\b|\bonly\b|\bout of range\b",
    re.IGNORECASE,
)
"""What a reply says that takes an act for no try."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A row's acts with wrong ones among them, and the places of these."""

    turns: Turns
    wrong: tuple[int, ...]


Trials = Mapping[int, Trial]


@check("G634", kinds=("tools", "multi-turn"), needs=("acts",))
def a_single_try_is_one_try(subject: Subject) -> Iterator[Finding]:
    """Where a prompt allows one try, gold with a wrong try before each right one scores less than gold."""
    said = canonical_json(subject.tools)
    allowed = {gold.row: _allowed(f"{prompt_text(subject, gold.row)} {said}") for gold in some_golds(subject)}
    known = [gold for gold in some_golds(subject) if allowed[gold.row]]
    chosen = {verb for found in allowed.values() if found for verb in found.groupdict().values() if verb}
    for name, parameter in _kinds(subject, known, chosen) if len(known) >= FEWEST_ROWS else ():
        wrong = {gold.row: (gold, _wrong_ones(subject, gold, known, name, parameter)) for gold in known}
        tried = {row: _first_wrong(subject, *one) for row, one in wrong.items() if one[1]}
        if len(tried) < FEWEST_ROWS or not _unharmed(subject, dict(list(tried.items())[:TASTED])):
            continue
        won = _unharmed(subject, tried)
        alone = compared_turns(subject, {row: _only_wrong(*wrong[row]) for row in tried})
        if as_good_on_most(subject, won, len(tried)) and seldom_won(subject, alone):
            row = won[0].row_index
            words, first = allowed[row], turns_text([tried[row].turns[tried[row].wrong[0]]])
            yield paid(
                subject, won, len(tried),
                f"A wrong try before each right one, such as {first}, where it says {words and words[0]!r},",
                "Let the first try decide: go on to what comes next, or end the episode, after a wrong one as well.",
            )  # fmt: skip
            return


def _allowed(said: str) -> re.Match[str] | None:
    choices = (_ONE_CHOICE.search(one) for one in sentences_of(said) if not _AGAIN.search(one))
    return _ONE_TRY.search(said) or _FIRST.search(said) or next(filter(None, choices), None)


def _kinds(subject: Subject, golds: Sequence[Gold], chosen: Collection[str]) -> Iterator[tuple[str, str]]:
    """The tools that take tries or choose, each with a parameter that differs; nothing twice for a game of texts."""
    if not any(turn.get("tool_calls") for gold in golds for turn in gold.turns):
        yield "", ""
        return
    for tool in subject.tools:
        name = name_of(tool)
        calls = [given for gold in golds for called, given in gold.calls if called == name]
        about = f"{name} {tool['function'].get('description')}"
        chooses = any(verb.casefold() in about.casefold() for verb in chosen)
        if not only_looks(tool) and (chooses or _TAKES_TRIES.search(about) or _FIRST.search(about)):
            names = dict.fromkeys(key for given in calls for key in given)
            yield from ((name, key) for key in names if len({str(given.get(key)) for given in calls}) > 2)


def _wrong_ones(subject: Subject, gold: Gold, golds: Sequence[Gold], name: str, parameter: str) -> dict[int, Message]:
    """By the place of an act of gold, what is done wrongly before it: what is right elsewhere."""
    others = [acts_of(other) for other in others_from(golds, golds.index(gold))]
    shown = " ".join([prompt_text(subject, gold.row), *replies_to_gold(subject, gold.row)])
    found: dict[int, Message] = {}
    for place, act in enumerate(acts_of(gold)):
        same_place = [acts[place] for acts in others if place < len(acts)]
        likely = [*same_place, *(one for acts in others for one in acts)]
        changed = [one for other in likely if (one := _instead(act, other, name, parameter))]
        if changed:
            found[place] = min(changed, key=lambda one: _last_word(one, parameter) not in shown)
    return found


def _instead(act: Message, other: Message, name: str, parameter: str) -> Message | None:
    """An act with what another one has in its place; None where it is of another kind, or the same."""
    if bool(name) != bool(act.get("tool_calls")) or bool(name) != bool(other.get("tool_calls")):
        return None
    if not name:
        own, new = str(act.get("content") or ""), str(other.get("content") or "")
        alike = len(own.split()) == len(new.split()) == 1 or own.split()[:1] == new.split()[:1]
        return {**act, "content": new} if alike and bare(own) != bare(new) else None
    mine, given = (one["tool_calls"][0]["function"] for one in (act, other))
    if mine["name"] != name or given["name"] != name or not isinstance(given["arguments"], dict):
        return None
    old, value = mine["arguments"].get(parameter), given["arguments"].get(parameter)
    if value is None or type(value) is not type(old) or bare(str(value)) == bare(str(old)):
        return None
    changed = deepcopy(act)
    changed["tool_calls"][0]["function"]["arguments"][parameter] = value
    return changed


def _last_word(act: Message, parameter: str) -> str:
    """What is tried, as prompts show it."""
    if act.get("tool_calls"):
        return str(act["tool_calls"][0]["function"]["arguments"][parameter])
    return str(act["content"]).split()[-1].strip(".!?'\"")


def _first_wrong(subject: Subject, gold: Gold, wrong: Mapping[int, Message]) -> Trial:
    """The acts of gold with a wrong one before each, or before the last ones where no more fit."""
    acts = acts_of(gold)
    spare = max(0, subject.traits.max_turns - len(acts))
    places = sorted(wrong)[max(0, len(wrong) - spare) :]
    turns: Turns = []
    for place, act in enumerate(acts):
        turns += [wrong[place], act] if place in places else [act]
    return Trial(turns, tuple(place + before for before, place in enumerate(places)))


def _only_wrong(gold: Gold, wrong: Mapping[int, Message]) -> Turns:
    """The acts of gold with wrong ones in their places."""
    return [wrong.get(place, act) for place, act in enumerate(acts_of(gold))]


def _unharmed(subject: Subject, tried: Trials) -> list[Episode]:
    """The episodes that score as gold does, with replies that take each wrong act for a try."""
    won = won_of(subject, played_turns(subject, {row: one.turns for row, one in tried.items()}))
    return [one for one in won if _was_tried(subject, one, tried[one.row_index])]


def _was_tried(subject: Subject, episode: Episode, trial: Trial) -> bool:
    usual = " ".join(replies_to_gold(subject, episode.row_index))
    if len(own_turns(episode.completion)) < len(trial.turns):
        return False  # it was over before
    first = _FIRST.search(prompt_and_tools(subject, episode.row_index))
    for place in trial.wrong:
        reply = reply_to(episode, place)
        told = " ".join(one for one in sentences_of(reply) if one not in usual) or reply
        if not (first or _WRONG.search(told)) or _UNCOUNTED.search(told):
            return False
    return bool(trial.wrong)
