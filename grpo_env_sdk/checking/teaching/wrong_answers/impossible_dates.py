"""Whether gold has dates and times of day that do not exist, so that the right ones are refused."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, gold_episodes, golds, play_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.written_dates import Written, dates, times_of_day, times_of_halves
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

FEWEST_REAL, MOSTLY, MOST_PLAYED = 4, 0.6, 6
"""How many different ones exist in the same place, on which share of rows, and on how many rows others are played."""
_MAY_BE = regex(
    r"\b(?:(?:in)?valid\w*|impossible|non-?existent|(?:not|n't) exist\w*|typos?|corrupt\w*|garbled|malformed|"
    r"fiction\w*|fantasy|planet\w*|hijri|islamic|hebrew|jewish|persian|lunar|swedish|martian|30/360|360|"
    r"leap seconds?|overflow\w*)\b",
    re.IGNORECASE,
)
"""Words of prompts that may ask for what does not exist, or for another calendar."""
_OF_CLOCKS = regex(
    r"\bHH?:MM\b|\b24[- ]h(?:our)?s?\b|o'clock|\btime of (?:the )?day\b|\b(?:what|which) time\b|\bclock\b|"
    r"\b(?:start|end|departure|arrival|landing|local|opening|closing) times?\b",
    re.IGNORECASE,
)
_OF_LENGTHS = regex(
    r"\bdurations?\b|\bhow long\b|\belapsed\b|\bM?M:SS\b|\bratios?\b|\bscores?\b|\bodds\b|\bstopwatch\b|\blaps?\b|"
    r"\bpace\b|\bverses?\b|\bin total\b|\btotal time\b",
    re.IGNORECASE,
)
"""What prompts say where numbers with a colon are times of day, and where they may be something else."""
Reader = Callable[[str], Iterator[Written]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where gold has a date or a time in a row, and those that it has there."""

    gold: Gold
    written: list[Written]

    @property
    def wrong(self) -> list[Written]:
        """Those that do not exist."""
        return [one for one in self.written if not one.exists]

    def others(self) -> Iterator[list[Message]]:
        """Gold with what may be meant in place of the first of them."""
        one = self.wrong[0]
        turns = json.dumps(self.gold.turns, ensure_ascii=False)
        for text in one.instead:
            plain = json.dumps(text, ensure_ascii=False)[1:-1]
            changed = re.sub(rf"(?<!\w){re.escape(one.text)}(?!\w)", lambda _, new=plain: new, turns)  # type: ignore[misc]
            yield json.loads(changed)


@check("G655", needs=("gold",))
def dates_and_times_of_gold_exist(subject: Subject) -> Iterator[Finding]:
    """Gold has no date and no time of day that does not exist, such as 0:30 PM, where the right one scores less."""
    known = [gold for gold in golds(subject).values() if not _MAY_BE.search(prompt_and_tools(subject, gold.row))]
    for read in (times_of_halves, times_of_day, dates):
        for where, places in _places(subject, known, read).items():
            wrong = [place for place in places if place.wrong]
            real = {one.text for place in places if not place.wrong for one in place.written}
            enough = len(real) >= FEWEST_REAL and len(places) - len(wrong) >= MOSTLY * len(places)
            if not wrong or not enough or _is_shown(subject, places, read):
                continue
            if found := _finding_if_refused(subject, where, wrong, len(places)):
                yield found
                return


def _places(subject: Subject, known: Sequence[Gold], read: Reader) -> dict[str, list[Place]]:
    """By the argument of a tool, or the last text, the rows where gold has such dates or times there."""
    found: dict[str, list[Place]] = defaultdict(list)
    for gold in known:
        if read is times_of_day and not _speaks_of_clocks(prompt_and_tools(subject, gold.row)):
            continue
        values = {f"the {key!r} of {name}": value for name, given in gold.calls for key, value in given.items()}
        for where, value in {**values, "the answer": gold.text}.items():
            if isinstance(value, str) and (written := list(read(value))):
                found[where].append(Place(gold, written))
    return found


def _speaks_of_clocks(told: str) -> bool:
    return bool(_OF_CLOCKS.search(told)) and not _OF_LENGTHS.search(told)


def _is_shown(subject: Subject, places: Sequence[Place], read: Reader) -> bool:
    """Whether prompts, schemas or replies have some that do not exist either, as where such are what is asked for."""
    for place in places:
        texts = [canonical_json(subject.tools_of(place.gold.row))]
        for message in gold_episodes(subject)[place.gold.row].messages:
            is_own = message["role"] == "assistant"
            if is_own and any(one.text in str(message) for one in place.wrong):
                break
            texts += [] if is_own else texts_of([message])
        if any(not one.exists for text in texts for one in read(text)):
            return True
    return False


def _finding_if_refused(subject: Subject, where: str, wrong: Sequence[Place], of: int) -> Finding | None:
    """The finding, where all that may be right in place of what does not exist scores less."""
    for place in wrong[:MOST_PLAYED]:
        tried = [(place.gold.row, turns) for turns in place.others()]
        played = play_scored(subject, tried)
        if len(played) == len(tried) > 0 and not any(as_good_as_gold(subject, one) for one in played):
            one, first = place.wrong[0], played[0]
            return Finding(
                f"Gold has what does not exist as {where}, on {len(wrong)} of {of} rows: {quoted(one.text)} in row "
                f"{place.gold.row}, where {quoted(one.instead[0])} in its place scores {first.reward:g} and gold "
                f"{place.gold.reward:g}.",
                "Write dates and times with the datetime module (strftime), and not from numbers that are added up.",
                place.gold.row, own_turns(first.completion), reward_with_parts(first), one.text,
            )  # fmt: skip
    return None
