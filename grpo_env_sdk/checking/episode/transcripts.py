"""What an episode leaves behind: a transcript that is plain JSON, of bounded size, and worth the same when replayed."""

import json
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import answers_tried, equal
from grpo_env_sdk.checking.evidence.failures import FailedHereError
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.unsteady import unsteady
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import observation_messages
from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Episode

LARGE = 20_000
"""Characters of one observation beyond which it is told: some 5,000 tokens."""
MANY = {"quick": 20, "default": 80, "thorough": 500}
_GROWING = 2_000


@check("E320", kinds=("multi-turn", "tools"), share=2)
def a_replay_scores_the_same(subject: Subject) -> Iterator[Finding]:
    """A transcript that was stored as JSON scores again as it did when it was played."""
    if not subject.traits.replayable or subject.traits.instances != "constructed" or unsteady(subject):
        return
    whole = [(said, episode) for said, episode in answers_tried(subject) if not episode.error]
    subject.random.shuffle(whole)
    for said, episode in whole[: MANY[subject.effort]]:
        if not subject.time_left:
            return
        again = subject.answer(said.row, said.completion)
        if not equal(again.reward, episode.reward):
            continue  # told by another check
        stored = json.loads(json.dumps(episode.completion, default=str))
        row = subject.row(said.row)
        env = subject.loaded.instance()
        rescore = partial(env.score_episode, None, None, stored, **{**row, "row": row})
        try:
            score = subject.call("score_episode", rescore, row=said.row)
        except FailedHereError as exc:
            if isinstance(exc.__cause__, DeadlineError):  # many slow turns together
                continue
            raise
        if not equal(score, episode.reward):
            yield Finding(
                f"An episode ({said.what}) was worth {episode.reward}, and its stored transcript {score}.",
                "Score from the row and the messages alone, or say replayable = False.",
                said.row, stored, score, episode.reward,
            )  # fmt: skip
            return


@check("E321", kinds=("tools", "multi-turn"), share=0.5)
def observations_are_plain_json(subject: Subject) -> Iterator[Finding]:
    """What an environment shows is text or content parts, and can be written as JSON."""
    for _, episode in answers_tried(subject):
        for message in episode.messages:
            problem = _problem(message)
            if message.get("role") != "assistant" and problem:
                yield Finding(
                    f"An observation {problem}.", "Return text, or messages with text as content: json.dumps the rest.",
                    episode.row_index, episode.completion, message,
                )  # fmt: skip
                return


@check("E322", kinds=("tools", "multi-turn"), severity="warning", share=0.5)
def observations_stay_small(subject: Subject) -> Iterator[Finding | Table]:
    """Observations are of bounded size, and do not say again what was said before."""
    episodes = [episode for _, episode in answers_tried(subject) if not episode.error]
    sizes: dict[int, list[int]] = {}
    told = False
    for episode in episodes:
        shown = _shown(episode)
        for turn, text in enumerate(shown):
            sizes.setdefault(turn, []).append(len(text))
        large = max(shown, key=len, default="")
        if not told and len(large) > LARGE:
            message = f"One observation has {len(large):,} characters, some {len(large) // 4:,} tokens."
            hint = "Show a part, and let the model ask for more."
            yield Finding(message, hint, episode.row_index, episode.completion, large)
            told = True
        if not told and _repeats(shown):
            message = f"Each observation holds the ones before it: {sum(map(len, shown)):,} characters in all."
            hint = "Show what is new: the model has the whole transcript before it."
            yield Finding(message, hint, episode.row_index, episode.completion, shown[-1])
            told = True
    if len(sizes) > 1:
        rows = [[turn, sorted(found)[len(found) // 2], max(found)] for turn, found in sorted(sizes.items())][:30]
        yield Table("Characters of what is shown, turn by turn", ("turn", "usual", "most"), rows)


@check("E323", kinds=("tools", "multi-turn"), share=2, effort="default")
def gymnasium_finds_nothing(subject: Subject) -> Iterator[Finding]:
    """Gymnasium's `check_env` passes."""
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    if subject.traits.instances != "constructed" or not isinstance(subject.loaded.env, gymnasium.Env):
        return

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_env(subject.loaded.instance(), skip_render_check=True)

    try:
        subject.call("Gymnasium's check_env", work)
    except Exception as exc:
        cause = exc.__cause__
        if isinstance(cause, DeadlineError):
            return  # it takes long, and finds nothing that E301 to E303 do not
        if not isinstance(cause, AssertionError):
            raise
        text = " ".join(str(cause).split())
        yield Finding(f"Gymnasium's check_env says: {text}", "An episode follows from seed and row alone.")


def _problem(message: Any) -> str:
    """What keeps a message from being a chat message in JSON."""
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        return f"has a content of type {type(content).__name__}"
    try:
        json.dumps(message, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as exc:
        return f"cannot be written as JSON: {exc}"
    return ""


def _shown(episode: Episode) -> list[str]:
    """The text that was shown before each turn, the opening first."""
    shown, last = [""], 0
    for number, message in enumerate(episode.messages):
        if number >= episode.opening and message.get("role") == "assistant":
            shown.append("")
            last += 1
        else:
            shown[last] += "".join(str(item.get("content") or "") for item in observation_messages(message))
    return shown if len(shown) > 1 and shown[-1] else shown[:-1] or shown


def _repeats(shown: list[str]) -> bool:
    """Whether three observations in a row each hold the whole of the one before, and it has become much."""
    tail = shown[-3:]
    if len(tail) < 3 or len(tail[2]) < _GROWING or len(tail[0]) < 100:
        return False
    return tail[0] in tail[1] and tail[1] in tail[2]
