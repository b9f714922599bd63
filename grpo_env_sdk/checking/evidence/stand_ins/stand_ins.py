"""The best episodes found where there is no gold: acts with the values of the row, tried until they score the top."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import isfinite
from typing import Any

from grpo_env_sdk.checking.evidence.golds import was_scored
from grpo_env_sdk.checking.evidence.playing.machine_load import FairClock
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, tool_named
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.likely_values import (
    THE_VALUE,
    Label,
    is_close,
    likely_arguments,
    likely_values,
    values_at,
)
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.stand_ins.calls_of_items import calls_of_items
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode, Message, Row

SECONDS = {"quick": 3.0, "default": 3.0, "thorough": 20.0}
"""The seconds of a quiet machine that end a search."""
MOST_CALLS, MOST_AFTER, AT_ONCE, MOST_DEPTH, MOST_COLUMNS = 48, 16, 12, 8, 8
SLOW = 0.05
LOOKS, SHOWN = 3, "what was shown by"
"""With how many likely values a looking tool is asked, and how the label of its reply begins."""
NEARLY_TOP = 0.05
"""How far below the top, as a part of the range, the best may be."""
END = "Done."


@dataclass(frozen=True, slots=True)
class Step:
    """A call by where its values come from; or a text, with the name of no tool."""

    tool: str
    labels: tuple[tuple[str, Label], ...]

    def again(self, parameter: str, label: Label) -> "Step":
        """The same call with another value of a parameter."""
        return Step(self.tool, tuple({**dict(self.labels), parameter: label}.items()))


Recipe = tuple[Step, ...]
Found = tuple[Recipe, Episode]
Shown = tuple[Step, Any]
"""A call that only looks, and what it showed."""


@dataclass
class Looking:
    """A search for what scores the top, row by row; what was right in a row is tried first in the next."""

    subject: Subject
    left: int
    """How many more episodes may be played."""
    seconds: float
    clock: FairClock = field(default_factory=FairClock)
    known: dict[Recipe, None] = field(default_factory=dict)
    shown: dict[int, dict[Label, Shown]] = field(default_factory=dict)
    """By row, what its looking tools showed, by a label that goes beside those of columns."""

    @property
    def over(self) -> bool:
        """Whether the episodes or the time are used up."""
        return self.left <= 0 or self.clock.now() > self.seconds

    def best_of(self, row: int) -> Episode | None:
        """The best episode of a row; None where nothing scores the top, or silence does."""
        idle = self.played(row, [()])
        if not idle or self._istop_of(idle[0][1]):
            return None
        for recipes in (
            list(self.known),
            self._like_known(row),
            self._texts(row),
            self._by_names(row),
            self._by_items(row),
        ):
            if found := self._winner(row, recipes):
                return found
        recipe, episode = self.climbed(row, idle[0])
        if not self._istop_of(episode):
            return self._winner(row, self._by_replies(row)) or self._winner(row, self._after_opening(row))
        self.known = {recipe: None, **self.known}
        return episode

    def _winner(self, row: int, recipes: Sequence[Recipe]) -> Episode | None:
        for start in range(0, len(recipes), AT_ONCE):
            for recipe, episode in self.played(row, recipes[start : start + AT_ONCE]):
                if self._istop_of(episode):
                    self.known = {recipe: None, **self.known}
                    return episode
            if self.over:
                return None
        return None

    def climbed(self, row: int, start: Found, beyond: bool = False) -> Found:
        """One call after another, each the best of the first that earn more, to the top of the row, or beyond it."""
        best, tools = start, self.subject.tools_of(row)
        steps = [
            Step(name_of(tool), tuple(labels.items()))
            for tool in sorted(tools, key=only_looks)
            for labels in likely_arguments(tool, self.subject.row(row), MOST_CALLS)
        ]
        for _ in range(min(MOST_DEPTH, self.subject.traits.max_turns - 1)):
            better = self._better(row, best, steps)
            if better is None:
                break
            best = better
            if self._istop_of(best[1]) and not beyond:
                break
        return best

    def _better(self, row: int, best: Found, steps: Sequence[Step]) -> Found | None:
        for start in range(0, len(steps), AT_ONCE):
            tried = self.played(row, [(*best[0], step) for step in steps[start : start + AT_ONCE]])
            most = max(tried, key=lambda one: one[1].reward or 0.0, default=best)
            if (most[1].reward or 0.0) > (best[1].reward or 0.0) + 1e-9:
                return most
            if self.over:
                return None
        return None

    def _like_known(self, row: int) -> list[Recipe]:
        """What was right in other rows, with another number or another listed value in its last call."""
        found: list[Recipe] = []
        for recipe in list(self.known)[:LOOKS]:
            *before, last = recipe
            tool = tool_named(self.subject.tools_of(row), last.tool)
            for name, label in last.labels if tool else ():
                if tool and label.startswith(THE_VALUE):
                    others = [
                        one for one in likely_values(tool, name, self.subject.row(row)) if one.startswith(THE_VALUE)
                    ]
                    found += [(*before, last.again(name, other)) for other in others]
        return [one for one in dict.fromkeys(found) if one not in self.known]

    def _texts(self, row: int) -> list[Recipe]:
        """The values of columns as the only message."""
        columns = [
            name for name, value in self.subject.row(row).items()
            if name not in ("prompt", "case_idx", "best_possible") and isinstance(value, str | int | float)
            and not isinstance(value, bool) and 0 < len(str(value)) <= 100
        ]  # fmt: skip
        return [(Step("", (("", name),)),) for name in columns[:MOST_COLUMNS]]

    def _after_opening(self, row: int) -> list[Recipe]:
        """A call that the row gives values for, such as what opens a page, and then one of another tool."""
        values = self.subject.row(row)
        opening = [
            (name_of(tool), labels)
            for tool in self.subject.tools_of(row)
            if any(schema.get("type") == "string" for schema in properties_of(tool).values())
            for labels in likely_arguments(tool, values, LOOKS)
        ]
        found: list[Recipe] = [
            (Step(opens, tuple(first.items())), Step(name_of(tool), tuple(labels.items())))
            for opens, first in opening
            for tool in self.subject.tools_of(row)
            if opens != name_of(tool)
            for labels in likely_arguments(tool, values, MOST_AFTER)
        ]
        return found[:MOST_CALLS]

    def _by_names(self, row: int) -> list[Recipe]:
        """Calls of the tools whose parameters are called like columns: all of them in each order, and some."""
        tools = self.subject.tools_of(row)
        steps = []
        for tool in tools:
            labels = next(likely_arguments(tool, self.subject.row(row), 1), None)
            if labels and all(is_close(name, label) for name, label in labels.items()):
                steps.append((tool, Step(name_of(tool), tuple(labels.items()))))
        changing = [step for tool, step in steps if not only_looks(tool)]
        every = [step for _, step in steps]
        found: list[Recipe] = [(step,) for step in every]
        for some in (changing, every):
            orders = permutations(some) if len(some) <= 3 else iter([tuple(some), tuple(some[::-1])])
            found += [order for order in orders if len(order) > 1]
            found += [tuple(some[:place] + some[place + 1 :]) for place in range(len(some)) if len(some) > 2]
        return list(dict.fromkeys(found))

    def _by_items(self, row: int) -> list[Recipe]:
        """For each column with items, one call for each of them."""
        values = self.subject.row(row)
        found = [
            tuple(Step(name_of(tool), tuple(labels.items())) for labels in calls)
            for tool in self.subject.tools_of(row)
            if not only_looks(tool)
            for calls in calls_of_items(tool, values)
            if len(calls) < self.subject.traits.max_turns
        ]
        return found[:MOST_CALLS]

    def _by_replies(self, row: int) -> list[Recipe]:
        """Calls with what a call before them showed."""
        shown = self._shown(row)
        values = self._values(row)
        found: list[Recipe] = []
        for tool in self.subject.tools_of(row):
            for labels in likely_arguments(tool, values, MOST_CALLS) if shown and not only_looks(tool) else ():
                told = [shown[name][0] for label in labels.values() if (name := label.partition("[")[0]) in shown]
                found += [(*dict.fromkeys(told), Step(name_of(tool), tuple(labels.items())))] if told else []
        return found[:MOST_CALLS]

    def _values(self, row: int) -> Row:
        """The columns of a row, and what its looking tools showed."""
        return {**self.subject.row(row), **{label: value for label, (_, value) in self.shown.get(row, {}).items()}}

    def _shown(self, row: int) -> dict[Label, Shown]:
        """What the looking tools of a row show, each asked for the likely values of the row."""
        if row not in self.shown:
            looks = [tool for tool in self.subject.tools_of(row) if only_looks(tool)]
            steps = [
                Step(name_of(tool), tuple(labels.items()))
                for tool in looks
                for labels in likely_arguments(tool, self.subject.row(row), LOOKS)
            ][: self.subject.traits.max_turns - 1]
            self.shown[row] = {}
            for _, episode in self.played(row, [tuple(steps)]) if steps else ():
                for step, call in zip(steps, episode.tool_calls, strict=False):
                    if not call["error"] and not SAYS_WRONG.search(str(call["content"])):
                        self.shown[row].setdefault(f"{SHOWN} {step.tool}", (step, _read(str(call["content"]))))
        return self.shown[row]

    def played(self, row: int, recipes: Sequence[Recipe]) -> list[Found]:
        """The recipes that can be written for a row, with their episodes."""
        written = [(recipe, self._written(row, recipe)) for recipe in recipes]
        kept = [(recipe, turns) for recipe, turns in written if turns is not None]
        self.left -= len(kept)
        played = self.subject.answers([(row, turns) for _, turns in kept]) if kept else []
        return [(recipe, one) for (recipe, _), one in zip(kept, played, strict=False) if was_scored(one)]

    def _written(self, row: int, recipe: Recipe) -> Completion | None:
        turns: list[str | Message] = []
        if any(label.startswith(SHOWN) for step in recipe for _, label in step.labels):
            self._shown(row)
        values = self._values(row)
        for step in recipe:
            if not step.tool:
                turns.append(str(values.get(step.labels[0][1], "")))
                continue
            tool = tool_named(self.subject.tools_of(row), step.tool)
            given = values_at(tool, values, dict(step.labels)) if tool else None
            if given is None:
                return None
            turns.append(call_message(step.tool, **given))
        return turns if recipe and not recipe[-1].tool else [*turns, END]

    def _istop_of(self, episode: Episode) -> bool:
        return (episode.reward or 0.0) >= top_of(self.subject, self.subject.row(episode.row_index))


def _read(reply: str) -> Any:
    """A reply in JSON as data, any other as a text."""
    read = read_json(reply, reply)
    return reply if isinstance(read, bool) or read is None else read


def top_of(subject: Subject, row: Row) -> float:
    """The reward from which on an episode of a row counts as one that scores the top."""
    low, top = subject.traits.reward_range
    most: Any = row.get("best_possible")
    top = min(top, most) if isinstance(most, int | float) else top
    return top - (NEARLY_TOP * (top - low) if isfinite(low) else 0.0)
