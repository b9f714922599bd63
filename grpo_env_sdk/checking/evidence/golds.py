"""The gold answers of many rows, and the reward an answer needs to match them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import inf
from typing import Any

from grpo_env_sdk.checking.evidence.playing.failures import OutOfTimeError
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import A_THOUGHT
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.evaluation.stats import NEARLY as NEARLY
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 60, "default": 200, "thorough": 1_000}
UNSTEADY = ("score", "unsteady")
"""The key of the answers whose score changes from one time to the next."""
FEW = ("teaching", "few golds")
"""The key of whether there was no time to play gold on several rows."""
GOLD_SECONDS, SEVERAL = 4.0, 8
"""The seconds for playing gold, whatever is left of a check's own, and on how many rows it has to be played."""
BEST_POSSIBLE = "best_possible"
"""The column of the highest reward that a row allows, where not every row can be won."""
ROWS_WITHOUT_THOUGHTS = 3
"""On how many rows gold is tried without its thoughts."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold answer of one row: the assistant's turns, and their reward."""

    row: int
    turns: list[Message]
    reward: float
    thoughts: str = ""
    """Thoughts in tags, with which alone its last message scores."""

    @property
    def text(self) -> str:
        """The text of its last message; of calls that are only written, the calls."""
        return self.thoughts + said_last(self.turns)

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """The tool and the arguments of each of its calls, but for arguments that are no object."""
        made = functions_of(self.turns)
        return [(call["name"], call["arguments"]) for call in made if isinstance(call["arguments"], dict)]

    def first_given(self, name: str) -> dict[str, Any] | None:
        """The arguments of its first call of a tool; None where it does not call it."""
        return next((given for tool, given in self.calls if tool == name), None)


def gold_episodes(subject: Subject) -> dict[int, Episode]:
    """The gold episode of each of many rows, shared by the checks; empty without gold."""
    found = subject.once(("teaching", "gold"), lambda: _played(subject))
    subject.tried.lacks_gold |= bool(subject.recall(FEW))
    return found


def usable_gold(subject: Subject, row: int) -> Episode | None:
    """The gold episode of a row; None if there is no gold or it failed, which another check reports."""
    try:
        episode = subject.gold(row)
    except GrpoEnvError:
        return None
    return episode if episode is not None and episode.error is None else None


def golds(subject: Subject) -> dict[int, Gold]:
    """The gold answers by row, without those that score low themselves."""
    return subject.once(("teaching", "usable gold"), lambda: _usable(subject))


def rows_tried(subject: Subject) -> list[int]:
    """The rows with a gold answer, or the same number of rows if there is no gold."""
    return list(golds(subject)) or subject.sample(MOST_ROWS[subject.effort])


def reward_to_match(subject: Subject, row: int) -> float:
    """The reward of an answer that is as good as gold: the gold's reward, else the top of the range."""
    gold = golds(subject).get(row)
    return gold.reward if gold else subject.traits.reward_range[1]


def as_good_as_gold(subject: Subject, episode: Episode) -> bool:
    """Whether an episode scores as much as the gold of its row."""
    return episode.reward is not None and episode.reward >= reward_to_match(subject, episode.row_index) - NEARLY


def won_of(subject: Subject, episodes: Sequence[Episode]) -> list[Episode]:
    """The episodes that score as much as gold."""
    return [episode for episode in episodes if as_good_as_gold(subject, episode)]


def reward_of(episode: Episode) -> float:
    """The reward of an episode; 0 where it has none."""
    return episode.reward or 0.0


def loses_half(subject: Subject, episode: Episode, of: float | None = None) -> bool:
    """Whether an episode was scored, with less than half of a reward: that of the gold of its row if none is given."""
    whole = golds(subject)[episode.row_index].reward if of is None else of
    floor = nothing_of(subject, whole)
    return was_scored(episode) and reward_of(episode) - floor < (whole - floor) / 2


def nothing_of(subject: Subject, whole: float) -> float:
    """The reward that counts as nothing: 0, or the lowest one where that is more or the whole is no more than 0."""
    low = subject.traits.reward_range[0]
    return max(0.0, low) if whole > 0 else low


def scores_nothing(subject: Subject, episode: Episode) -> bool:
    """Whether an episode scores nothing of what can be earned on its row."""
    return reward_of(episode) <= nothing_of(subject, reward_to_match(subject, episode.row_index)) + NEARLY


def gold_name(subject: Subject) -> str:
    """What messages call the reward to match."""
    return "gold" if golds(subject) else "the top of reward_range"


def less_than_gold(subject: Subject, episode: Episode) -> str:
    """What a finding expects as the reward of an answer that should not match gold."""
    return f"less than {reward_to_match(subject, episode.row_index):g}"


def too_good(subject: Subject, episode: Episode) -> tuple[int, list[Message], float | None, str]:
    """What a finding shows of an episode that should not match gold: its row, its turns, its reward, and that."""
    turns = own_turns(episode.completion)
    return episode.row_index, turns, episode.reward, less_than_gold(subject, episode)


def play_answers(subject: Subject, answers: Sequence[tuple[int, Completion]]) -> list[Episode]:
    """The episodes of answers, as far as the time allows; they are kept for `episodes_seen`.

    The same answer to the same row is played once for all checks, unless S210 found that its score changes.
    """
    episodes = _once_each(subject, answers) if not subject.recall(UNSTEADY) else subject.answers(answers)
    episodes_seen(subject).extend(episodes)
    return episodes


def play_scored(subject: Subject, answers: Sequence[tuple[int, Completion]]) -> list[Episode]:
    """The same without those that failed or have no reward."""
    return [episode for episode in play_answers(subject, answers) if was_scored(episode)]


def was_scored(episode: Episode) -> bool:
    """Whether an episode has a reward, and nothing of it failed."""
    return episode.reward is not None and not episode.error


def scored_by_row(episodes: Iterable[Episode]) -> dict[int, Episode]:
    """The episodes that were scored, by their rows."""
    return {one.row_index: one for one in episodes if was_scored(one)}


def play_all(subject: Subject, answers: Sequence[tuple[int, Completion]]) -> list[Episode]:
    """The episodes of all these answers; raises where there is no time for some of them."""
    episodes = play_answers(subject, answers)
    if len(episodes) < len(answers):
        raise OutOfTimeError
    return episodes


def play_compared(subject: Subject, answers: Sequence[tuple[int, Completion]]) -> list[Episode]:
    """All of these that were scored, to compare others with: what there is no time for says nothing, and raises."""
    return [episode for episode in play_all(subject, answers) if was_scored(episode)]


def _once_each(subject: Subject, answers: Sequence[tuple[int, Completion]]) -> list[Episode]:
    known: dict[str, Episode] = subject.once(("answers", "played"), dict)
    keys = [f"{row} {completion!r}" for row, completion in answers]
    new = {key: answer for key, answer in zip(keys, answers, strict=True) if key not in known}
    old = [row for key, (row, _) in zip(keys, answers, strict=True) if key not in new]
    subject.tried.add(old, old)
    if new:
        known.update(zip(new, subject.answers(new.values()), strict=False))
    return [known[key] for key in takewhile(known.__contains__, keys)]


def episodes_seen(subject: Subject) -> list[Episode]:
    """Every episode that the checks of this group have played so far."""
    return subject.once(("teaching", "seen"), lambda: list(gold_episodes(subject).values()))


def said_last(completion: Completion) -> str:
    """The final answer, or the calls that it is where it only writes some as a text."""
    turns: list[Message] = (
        [{"role": "assistant", "content": completion}]
        if isinstance(completion, str)
        else [{"role": "assistant", "content": turn} if isinstance(turn, str) else turn for turn in completion]
    )
    if text := answer_text(turns):
        return text
    last = next((turn for turn in reversed(turns) if turn.get("role") == "assistant"), {})
    written = str(last.get("content") or "").rpartition("</think>")[2].strip()
    return written if not last.get("tool_calls") and written.endswith("</tool_call>") else ""


def says_gold(answer: Completion, gold: Gold) -> bool:
    """Whether an answer is the gold answer, apart from case, and spaces and punctuation around it."""
    turns = [answer] if isinstance(answer, str) else answer
    return [_comparable(turn) for turn in turns] == [_comparable(turn) for turn in gold.turns]


def is_one_answer(known: Iterable[Gold]) -> bool:
    """Whether gold is the same on all rows, so that it is right to always say it."""
    return len({str([_comparable(turn) for turn in gold.turns]) for gold in known}) == 1


def _comparable(turn: str | Message) -> tuple[str, list[Any]]:
    if isinstance(turn, str):
        return bare(turn), []
    calls = [(call["name"], call["arguments"]) for call in functions_of([turn])]
    return bare(str(turn.get("content") or "")), calls


def _played(subject: Subject) -> dict[int, Episode]:
    if subject.stand_ins is not None:
        return dict(subject.stand_ins)
    if subject.gold_source is None:
        return {}
    rows = subject.sample(MOST_ROWS[subject.effort])
    with subject.with_time(max(subject.time_left, GOLD_SECONDS)):
        found = _played_on(subject, rows)
        if len(found) < min(SEVERAL, len(rows)) and not subject.time_left:
            subject.once(FEW, lambda: True)
    return found


def _played_on(subject: Subject, rows: Sequence[int]) -> dict[int, Episode]:
    if subject.traits.solvable:
        known = {row: episode for row in rows if (episode := subject.recall(("gold", row))) and not episode.error}
        new = subject.play_many([row for row in rows if row not in known], "gold")
        known |= {episode.row_index: episode for episode in new}
        return {row: known[row] for row in rows if row in known}
    episodes = ((row, subject.gold(row)) for row in subject.in_time(rows))
    return {row: episode for row, episode in episodes if episode is not None}


def _usable(subject: Subject) -> dict[int, Gold]:
    scored = list(filter(was_scored, gold_episodes(subject).values()))
    if not scored:
        return {}
    rewards = [episode.reward or 0.0 for episode in scored]
    low = min(subject.traits.reward_range[0], *rewards)
    if max(rewards) <= low + NEARLY:
        return {}
    middle = (low + max(rewards)) / 2
    found = {
        episode.row_index: Gold(episode.row_index, own_turns(episode.completion), reward)
        for episode, reward in zip(scored, rewards, strict=True)
        if reward >= middle or low + NEARLY < reward >= best_possible(subject, episode.row_index) - NEARLY
    }
    return _with_thoughts(subject, found)


def _with_thoughts(subject: Subject, found: dict[int, Gold]) -> dict[int, Gold]:
    """The same golds, with thoughts before what they say where they score with thoughts alone: the same in all."""
    thinking = {row: thoughts for row, gold in found.items() if (thoughts := _thoughts_of(gold.turns[-1:]))}
    if not thinking or len(thinking) < len(found):
        return found
    tried = list(found.values())[:ROWS_WITHOUT_THOUGHTS]
    if any(_scores(subject, tried, "")):
        return found
    of_first = next(iter(thinking.values()))
    same = of_first.replace(of_first.removeprefix("<think>").rpartition("</think>")[0].strip(), A_THOUGHT)
    if all(_scores(subject, tried, same)):
        thinking = dict.fromkeys(thinking, same)
    return {row: replace(gold, thoughts=thinking[row]) for row, gold in found.items()}


def _scores(subject: Subject, tried: Sequence[Gold], thoughts: str) -> list[bool]:
    """Of each gold, whether its last text scores as much with these thoughts before it."""
    answers: list[tuple[int, Completion]] = [(one.row, [*one.turns[:-1], thoughts + one.text]) for one in tried]
    episodes = play_answers(subject, answers)
    pairs = zip(episodes, tried, strict=False)
    return [was_scored(one) and reward_of(one) >= gold.reward - NEARLY for one, gold in pairs] or [False]


def _thoughts_of(last: Sequence[Message]) -> str:
    """What a message has before its answer, up to the end of its thoughts and the spaces behind it."""
    text = str(last[0].get("content") or "") if last else ""
    found = re.match(r"<think>.*</think>\s*", text, re.DOTALL)
    return found[0] if found and text[found.end() :] else ""


def best_possible(subject: Subject, row: int) -> float:
    """The highest reward that a row says it allows; infinite where it says nothing."""
    declared = subject.row(row).get(BEST_POSSIBLE)
    return declared if isinstance(declared, int | float) else inf
