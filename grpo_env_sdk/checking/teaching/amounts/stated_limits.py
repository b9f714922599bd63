"""Whether what a prompt limits is limited: how much is carried at once, and how often something may be done."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice, permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, scripts_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.amounts.added_up import effects_that_add_up
from grpo_env_sdk.checking.teaching.amounts.calls_in_one_message import calls_in_one_message
from grpo_env_sdk.checking.teaching.amounts.limits_by_mark import limits_by_mark
from grpo_env_sdk.checking.teaching.amounts.limits_by_message import limits_by_message
from grpo_env_sdk.checking.teaching.amounts.limits_by_reply import limits_by_reply
from grpo_env_sdk.checking.teaching.amounts.limits_by_turns import limits_by_turns
from grpo_env_sdk.checking.teaching.amounts.tries_in_one_message import tries_in_one_message
from grpo_env_sdk.checking.teaching.amounts.tries_too_many import tries_too_many
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

TASTED, MOST_ROWS, MOST_PAIRS, MOST_LIMIT = 4, 16, 30, 60
"""On how many rows a limit is broken first, and then; in how many ways; and which limits are too large to try."""
_NUMBER = rf"(\d{{1,3}}|{COUNT_WORDS})"
_ROOM = regex(
    rf"\b(?:room for|space for|carr(?:y|ies|ying)|holds?|capacity(?: of| is)?:?|fits?|seats?|loads? of)"
    rf"(?: \w+){{0,3}}? {_NUMBER}\b",
    re.IGNORECASE,
)
_ACTS = (
    r"questions?|calls?|search(?:es)?|look-?ups?|quer(?:y|ies)|guess(?:es)?|tries|try|attempts?|moves?|steps?|turns?|"
    r"commands?|messages?|actions?|requests?|hints?|shots?|throws?|offers?|pages?|probes?|weighings?|rounds?"
)
_LIMIT = regex(
    rf"\b(?:at most|no more than|not more than|up to|only|maximum(?: of| is)?|limit(?:ed)?(?: of| to| is)?|"
    rf"budget (?:of|is)|within|(?:may|can) (?:make|ask|use|take|do|send|give)|you have)"
    rf"(?: \w+)?? {_NUMBER}(?: \w+)?? ({_ACTS})\b",
    re.IGNORECASE,
)
_COST = regex(
    rf"\b(?:a|an|one|each|every) ({_ACTS}) (?:costs|takes|uses(?: up)?|needs) (?:a|an|one|1) (?:\w+ )?(\w+)\b",
    re.IGNORECASE,
)
"""What an act costs one of, such as a day, where the prompt says how many of these there are."""
_FREE = regex(
    rf"\b(?:refused|rejected|invalid|illegal|impossible|failed|forbidden) (?:{_ACTS})\b[^.;\n]{{0,20}}"
    r"\b(?:not count|(?:is|are) (?:free|not counted)|costs? nothing)\b",
    re.IGNORECASE,
)
"""Where acts that change nothing are not counted, gold with some of them before it keeps to the limit."""
_BY_CALLS = (
    tries_in_one_message,
    calls_in_one_message,
    limits_by_message,
    limits_by_reply,
    limits_by_mark,
    limits_by_turns,
    effects_that_add_up,
)
_ANY_ACT = {"call", "move", "step", "turn", "action", "command", "message", "request", "round"}


@check("G580", needs=("gold",))
def no_more_is_carried_than_fits(subject: Subject) -> Iterator[Finding]:
    """Taking everything at once scores less than gold, where the prompt says how much fits."""
    tried = [(one, steps) for one in scripts_of(subject) if (steps := _all_at_once(one, _room(subject, one)))]
    if won := _broken(subject, tried):
        _, script, held = won[0]
        yield _finding(
            subject, won, len(tried), f"Taking {_taken(held)} things at once, of {_room(subject, script)} that fit,",
            "Count what is held at each step, and let the plan fail where there is no room for more.",
        )  # fmt: skip


@check("G581", needs=("gold",))
def more_acts_than_allowed_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """Gold with more acts than the prompt allows scores less than gold."""
    if subject.traits.kind != "single-turn":
        by_calls = list(islice(chain.from_iterable(find(subject) for find in _BY_CALLS), 1))
        yield from by_calls
        if by_calls:
            return
    limits = {one.gold.row: _limit(subject, one) for one in scripts_of(subject)}
    known = [one for one in scripts_of(subject) if 0 < limits[one.gold.row][0] <= MOST_LIMIT]
    for place in range(MOST_PAIRS):
        tried = [
            (one, steps)
            for one in known
            if (steps := _too_many(subject, one, *limits[one.gold.row], place))
        ]  # fmt: skip
        if not tried:
            return
        if won := _broken(subject, tried):
            count, noun = limits[won[0][1].gold.row]
            acts = f"{count} {re.sub('(?<=[^aeiou])y$', 'ie', noun)}s"
            yield _finding(
                subject, won, len(tried), f"Gold with more than {acts}, which is all that the prompt allows,",
                "Count them, and end the episode or pay nothing where there are too many; or drop the sentence.",
            )  # fmt: skip
            return


Won = tuple[Episode, Script, Sequence[Step]]


def _broken(subject: Subject, tried: Sequence[tuple[Script, Sequence[Step]]]) -> list[Won]:
    """Those that are as good as gold, if they are on most rows."""
    if len(tried) < FEWEST_ROWS or not _won(subject, tried[:TASTED]):
        return []
    won = _won(subject, tried[:MOST_ROWS])
    return won if len(won) >= max(FEWEST_ROWS, len(tried[:MOST_ROWS]) / 2) else []


def _won(subject: Subject, tried: Sequence[tuple[Script, Sequence[Step]]]) -> list[Won]:
    played = play_answers(subject, answers_of(tried))
    return [
        (episode, one, steps)
        for episode, (one, steps) in zip(played, tried, strict=False)
        if not episode.error and as_good_as_gold(subject, episode) and _all_played(episode, steps)
    ]


def _all_played(episode: Episode, steps: Sequence[Step]) -> bool:
    """Whether the episode did not end before all acts were done."""
    of_gold = own_turns(episode.completion)
    return len(of_gold) in (1, len(steps))


def _finding(subject: Subject, won: Sequence[Won], of: int, what: str, hint: str) -> Finding:
    episode, script, _ = won[0]
    answer = turns_text(own_turns(episode.completion))
    return Finding(
        f"{what} scores as much as gold on {len(won)} of {min(of, MOST_ROWS)} rows: {quoted(answer, 160)}.",
        hint, script.gold.row, answer, episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip


def _room(subject: Subject, script: Script) -> int:
    """How many things the prompt says that fit; 0 where it says nothing, or several numbers."""
    found = {count_of(one) for one in _ROOM.findall(prompt_text(subject, script.gold.row))}
    return found.pop() if len(found) == 1 else 0


def _all_at_once(script: Script, room: int) -> list[Step]:
    """The acts that take something, all first, then those that put it down, with the ways between; or nothing."""
    pair = next((pair for pair in _takes_and_puts(script.steps) if _most_held(script.steps, *pair) <= room), None)
    if not room or pair is None or Counter(step.verb for step in script.steps)[pair[0]] <= room:
        return []
    placed = _with_places(script.steps, pair)
    found: list[Step] = []
    here: Step | None = None
    for verb in pair:
        for step, place in placed:
            if step.verb == verb:
                if place is not None and (here is None or place.object != here.object):
                    found.append(place)
                here = place or here
                found.append(step)
    last = script.steps[-1]
    return found if last.verb in pair or last == here else [*found, last]


def _takes_and_puts(steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """Two verbs with the same things, each of which is taken before it is put down."""
    things: dict[str, list[str]] = {}
    for step in steps:
        things.setdefault(step.verb, []).append(step.object)
    for take, put in permutations(things, 2):
        first = next(step.verb for step in steps if step.verb in (take, put))
        once = 1 < len(things[take]) == len(set(things[take]))
        if take == first and once and sorted(things[take]) == sorted(things[put]):
            yield take, put


def _most_held(steps: Sequence[Step], take: str, put: str) -> int:
    held = most = 0
    for step in steps:
        held += (step.verb == take) - (step.verb == put)
        most = max(most, held)
    return most


def _with_places(steps: Sequence[Step], pair: tuple[str, str]) -> list[tuple[Step, Step | None]]:
    """Each act that takes or puts, with the way to its place before it."""
    found: list[tuple[Step, Step | None]] = []
    place = None
    for step in steps:
        if step.verb in pair:
            found.append((step, place))
        elif step.verb:
            place = step
    return found


def _taken(steps: Sequence[Step]) -> int:
    return max(_most_held(steps, *pair) for pair in _takes_and_puts(steps))


def _limit(subject: Subject, script: Script) -> tuple[int, str]:
    """How many acts of which kind the prompt allows; 0 where it says nothing, or several numbers."""
    text = prompt_text(subject, script.gold.row)
    if _FREE.search(text):
        return 0, ""
    found = {(count_of(count), _singular(noun)) for count, noun in _LIMIT.findall(text)}
    for act, unit in _COST.findall(text):
        supply = (
            rf"\b(?:have|with|budget of|only|for|given) (?:\w+ )??{_NUMBER} (?:\w+ )??{re.escape(_singular(unit))}s?\b"
        )
        found |= {(count_of(count), _singular(act)) for count in re.findall(supply, text, re.IGNORECASE)}
    return found.pop() if len(found) == 1 else (0, "")


def _singular(noun: str) -> str:
    noun = noun.lower()
    for end, other in (("ies", "y"), ("ches", "ch"), ("sses", "ss"), ("s", "")):
        if noun.endswith(end) and not noun.endswith("ss"):
            return noun[: -len(end)] + other
    return noun


def _too_many(subject: Subject, script: Script, limit: int, noun: str, place: int) -> list[Step]:
    """Gold after so many needless acts that there are more than allowed; nothing where there is no such way."""
    if not isinstance(script.steps[0].written, str):
        return _calls_too_many(subject, script, limit, noun, place)
    if noun not in _ANY_ACT:
        return tries_too_many(subject, script, limit, place)
    kinds = list(dict.fromkeys(step.shown for one in scripts_of(subject)[:8] for step in one.steps))[:6]
    named = {step.shown: step for one in scripts_of(subject)[:8] for step in one.steps}
    pairs = list(permutations(kinds, 2))
    if place >= len(pairs) or len(script.steps) > limit:
        return []
    more = limit + 1 - len(script.steps)
    found = [*(named[kind] for _ in range((more + 1) // 2) for kind in pairs[place]), *script.steps]
    return found if subject.traits.kind == "single-turn" or len(found) <= subject.traits.max_turns else []


def _calls_too_many(subject: Subject, script: Script, limit: int, noun: str, place: int) -> list[Step]:
    """Gold with its first call of a tool, which the limit is about, so often before it."""
    firsts = list({step.verb: step for step in reversed(script.steps) if step.verb}.values())[::-1]
    counted = [step for step in firsts if noun in _ANY_ACT or _about(subject, step.verb, noun)]
    if place >= len(counted) or sum(bool(step.verb) for step in script.steps) > limit:
        return []
    found = [counted[place]] * (limit + 1) + list(script.steps)
    return found if len(found) <= subject.traits.max_turns else []


def _about(subject: Subject, tool: str, noun: str) -> bool:
    """Whether a tool is what a noun speaks of, such as ask_user of questions."""
    said = next((canonical_json(one) for one in subject.tools if one["function"]["name"] == tool), tool)
    stem = {"question": "ask|question", "look-up": "look", "lookup": "look", "query": "quer", "try": "try|tries"}
    return re.search(stem.get(noun, re.escape(noun[:6])), f"{tool} {said}", re.IGNORECASE) is not None
