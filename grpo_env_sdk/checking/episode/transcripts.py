"""Whether transcripts are plain JSON, of bounded size, and score the same when they are scored again."""

import json
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import answers_tried, equal
from grpo_env_sdk.checking.evidence.attempts.unsteady import unsteady
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.data.messages import content_text, observation_messages
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.images.image import is_image
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Episode

LARGE = 20_000
"""The characters of one observation from which it is reported: about 5,000 tokens."""
MANY = {"quick": 20, "default": 80, "thorough": 500}
_GROWING = 2_000
GYMNASIUMS_RESETS = 12


@check("E320", kinds=("multi-turn", "tools"), share=2)
def a_replay_scores_the_same(subject: Subject) -> Iterator[Finding]:
    """A transcript that was stored as JSON gets the same score again."""
    by_author = subject.loaded.description.score_rule.by_method  # it is played again by `rescore`, as S210 does
    if by_author or not subject.traits.replayable or subject.traits.instances != "constructed" or unsteady(subject):
        return
    whole = [(answer, episode) for answer, episode in answers_tried(subject) if not episode.error]
    subject.random.shuffle(whole)
    for answer, episode in whole[: MANY[subject.effort]]:
        if not subject.time_left:
            return
        again = subject.answer(answer.row, answer.completion)
        if not equal(again.reward, episode.reward):
            continue  # S210 reports it
        stored = json.loads(json.dumps(episode.completion, default=str))
        row = subject.row(answer.row)
        env = subject.loaded.instance()
        rescore = partial(env.score_episode, None, None, stored, **{**row, "row": row})
        try:
            score = subject.call("score_episode", rescore, row=answer.row)
        except FailedHereError as exc:
            if isinstance(exc.__cause__, DeadlineError):  # many slow turns together
                continue
            raise
        if not equal(score, episode.reward):
            yield Finding(
                f"An episode ({answer.what}) scored {episode.reward}, and its stored transcript {score}.",
                "Score only from the row and the messages, or set replayable = False.",
                answer.row, stored, score, episode.reward,
            )  # fmt: skip
            return


@check("E321", kinds=("tools", "multi-turn"), share=0.5)
def observations_are_plain_json(subject: Subject) -> Iterator[Finding]:
    """Observations are text or content parts, and can be written as JSON."""
    for _, episode in answers_tried(subject):
        for message in episode.messages:
            problem = _problem(message)
            if message.get("role") != "assistant" and problem:
                yield Finding(
                    f"An observation {problem}.",
                    "Return text, or messages with text as content; use json.dumps for other values.",
                    episode.row_index, episode.completion, message,
                )  # fmt: skip
                return


@check("E322", kinds=("tools", "multi-turn"), severity="warning", share=0.5)
def observations_stay_small(subject: Subject) -> Iterator[Finding | Table]:
    """Observations have a bounded size and do not repeat earlier ones."""
    episodes = [episode for _, episode in answers_tried(subject) if not episode.error]
    sizes: dict[int, list[int]] = {}
    reported = False
    for episode in episodes:
        shown = _shown(episode)
        for turn, text in enumerate(shown):
            sizes.setdefault(turn, []).append(len(text))
        size, large = max(((_size(text, episode), text) for text in shown), default=(0, ""))
        if not reported and size > LARGE:
            message = f"One observation has {size:,} characters, about {size // 4:,} tokens."
            hint = "Show a part, and let the model ask for more."
            yield Finding(message, hint, episode.row_index, episode.completion, large)
            reported = True
        if not reported and _repeats(shown):
            message = f"Each observation repeats the ones before it: {sum(map(len, shown)):,} characters in all."
            hint = "Show only what is new: the model sees the whole transcript."
            yield Finding(message, hint, episode.row_index, episode.completion, shown[-1])
            reported = True
    if len(sizes) > 1:
        rows = [[turn, sorted(found)[len(found) // 2], max(found)] for turn, found in sorted(sizes.items())][:30]
        yield Table("Characters of observations, by turn", ("turn", "median", "most"), rows)


@check("E323", kinds=("tools", "multi-turn"), share=2, effort="default")
def gymnasium_check_env_passes(subject: Subject) -> Iterator[Item]:
    """Gymnasium's `check_env` passes."""
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    if subject.traits.instances != "constructed" or not isinstance(subject.loaded.env, gymnasium.Env):
        return
    if subject.episode_seconds * GYMNASIUMS_RESETS > subject.call_seconds:
        why = f"Gymnasium's check_env resets a dozen times, and an episode takes {subject.episode_seconds:.2g} s."
        yield Undecided(why, "Call gymnasium.utils.env_checker.check_env yourself.")
        return

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_env(env, skip_render_check=True)

    try:
        with subject.instance() as env:
            subject.call("Gymnasium's check_env", work)
    except Exception as exc:
        cause = exc.__cause__
        if isinstance(cause, DeadlineError):
            return  # slow environment; E301 to E303 ask the same
        if not isinstance(cause, AssertionError):
            raise
        text = " ".join(str(cause).split())
        yield Finding(f"Gymnasium's check_env says: {text}", "An episode must depend only on its seed and row.")


def _problem(message: Any) -> str:
    """What keeps a message from being a chat message in JSON."""
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        return f"has a content of type {type(content).__name__}"
    try:
        json.dumps(message, allow_nan=False, ensure_ascii=False, default=_in_place_of_an_image).encode()
    except (TypeError, ValueError) as exc:
        return f"cannot be written as JSON: {exc}"
    return ""


def _in_place_of_an_image(value: Any) -> str:
    """What a record has for an image of Pillow, which a run keeps beside it; any other value is an error."""
    if is_image(value):
        return "image"
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _size(text: str, episode: Episode) -> int:
    """The characters of an observation without the long messages of the model that it repeats, in whatever case."""
    said = {str(one.get("content") or "").casefold() for one in own_turns(episode.completion)}
    rest = text.casefold()
    for own in (one for one in said if len(one) > LARGE // 4):
        rest = rest.replace(own, "")
    return len(rest)


def _shown(episode: Episode) -> list[str]:
    """The text shown before each turn, from the first observation on."""
    shown, last = [""], 0
    for number, message in enumerate(episode.messages):
        if number >= episode.opening and message.get("role") == "assistant":
            shown.append("")
            last += 1
        else:
            shown[last] += "".join(content_text(item.get("content")) for item in observation_messages(message))
    return shown if len(shown) > 1 and shown[-1] else shown[:-1] or shown


def _repeats(shown: list[str]) -> bool:
    """Whether three long observations in a row each contain the one before."""
    tail = shown[-3:]
    if len(tail) < 3 or len(tail[2]) < _GROWING or len(tail[0]) < 100:
        return False
    return tail[0] in tail[1] and tail[1] in tail[2]
