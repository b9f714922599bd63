"""The episodes of a run as data for fine-tuning: which are taken, and what a line has of each."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.data.messages import raw_text
from grpo_env_sdk.evaluation.stats import ROUNDING
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.policies.openai_wire import wire_message, wire_tool
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import Episode, Message, Schemas


@dataclass
class Selection:
    """The episodes of a run to learn from, and how many are left out for which reason."""

    run: Run
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The places of the episodes in the run, each with its row and sample; of a training (0, 0), as they ended."""
    left_out: Counter[str] = field(default_factory=Counter)
    as_text: bool = True
    """Whether each is a text prompt with one answer."""

    def lines(self, openai: bool = False) -> Iterator[str]:
        """A line of JSON for each episode; with `openai` all as messages, as they are sent to its API.

        They come by row and sample: two runs that differ only in what ended first are exported alike. Only those that
        ended before their turn are held in memory.
        """
        order = iter(sorted(self.places, key=lambda place: (self.places[place], place)))
        early, awaited = dict[int, str](), next(order, None)
        for place, episode in enumerate(self.run.episodes()):
            if place in self.places:
                example = self._openai_example(episode) if openai else self._example(episode) | _origin(episode)
                early[place] = json.dumps(example, ensure_ascii=False) + "\n"
            while awaited in early:
                yield early.pop(awaited)
                awaited = next(order, None)

    def _example(self, episode: Episode) -> dict[str, Any]:
        if self.as_text:
            return {"prompt": episode.row["prompt"], "completion": raw_text(episode.completion)}
        return _chat_example(episode.messages, _tools_of(self.run, episode))

    def _openai_example(self, episode: Episode) -> dict[str, Any]:
        return _chat_example(map(wire_message, episode.messages), map(wire_tool, _tools_of(self.run, episode)))

    def __str__(self) -> str:
        reasons = "; left out: " + ", ".join(f"{many} {why}" for why, many in self.left_out.items())
        return counted(len(self.places), "episode") + (reasons if self.left_out else "")


def select(run: Run, min_reward: float | None = None, best: bool = False, max_reward: float | None = None) -> Selection:
    """The episodes with a reward from `min_reward` to `max_reward`; with `best` only one of each row: its best."""
    found, best_of = Selection(run), dict[tuple[str, int], tuple[float, tuple[int, int], int]]()
    of_training = "training" in run.manifest
    for place, episode in enumerate(run.episodes()):
        if episode.reward is None:
            found.left_out["without a reward"] += 1
        elif min_reward is not None and episode.reward < min_reward - ROUNDING:
            found.left_out[f"below {min_reward:g}"] += 1
        elif max_reward is not None and episode.reward > max_reward + ROUNDING:
            found.left_out[f"above {max_reward:g}"] += 1
        elif any(map(_has_media, episode.messages)):
            found.left_out["with images or other media"] += 1
        else:
            at = found.places[place] = (0, 0) if of_training else (episode.row_index, episode.sample)
            found.as_text &= _is_text(episode) and not _tools_of(run, episode)
            row, this = (episode.env, episode.row_index), (-episode.reward, at, place)
            best_of[row] = min(this, best_of.get(row, this))
    if best:
        kept = {place: at for _, at, place in best_of.values()}
        found.left_out.update({"that are not the best of their row": len(found.places) - len(kept)})
        found.places = kept
    found.left_out = +found.left_out
    return found


def _has_media(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(part.get("type") != "text" for part in content if isinstance(part, dict))


def _is_text(episode: Episode) -> bool:
    completion = episode.completion
    return isinstance(episode.row.get("prompt"), str) and len(completion) == 1 and not completion[0].get("tool_calls")


def _origin(episode: Episode) -> dict[str, Any]:
    """Which episode a line is from, and its reward: columns that a trainer does not read."""
    return {"row_index": episode.row_index, "sample": episode.sample, "reward": episode.reward}


def _chat_example(messages: Iterable[Mapping[str, Any]], tools: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    listed = list(tools)
    return {"messages": list(messages)} | ({"tools": listed} if listed else {})


def _tools_of(run: Run, episode: Episode) -> Schemas:
    """The tools of the episode, of its environment in a training on several, or of the run."""
    manifest = run.manifest
    of_env = manifest.get("environments", {}).get(episode.env, manifest)
    tools: Schemas = of_env.get("tools", []) if episode.tools is None else episode.tools
    return tools
