"""How episodes end: room for the solution, ends that are told as what they are, instances that can be put away."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import MOST_TURNS, Said, answers_tried, own_turns
from grpo_env_sdk.checking.evidence.failures import FailedHereError, failure_of
from grpo_env_sdk.checking.evidence.odd_texts import ODD_TEXTS
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.isolation.async_calls import run_loop
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Episode, Message, Turn

MANY = {"quick": 20, "default": 100, "thorough": 500}
_TOP = 1e-6
_ANSWER = "Answer what cannot be done with a text that says why: an episode that fails has no score."


@check("E310", kinds=("tools", "multi-turn"), needs=("solve",))
def the_solution_fits_into_an_episode(subject: Subject) -> Iterator[Finding]:
    """The gold solution is through before `max_turns`, and the episode ends when it is."""
    for row in subject.sample(MANY[subject.effort]):
        if not subject.time_left:
            return
        policy = _GoldAndMore()
        episode = subject.play(row, policy)
        if episode.stop_reason not in ("max_turns", "max_tool_calls"):
            continue
        more = policy.next_after(episode)
        if more:
            yield Finding(
                f"The gold solution is cut off after {episode.turns} turns ({episode.stop_reason}) with more to say.",
                "Raise max_turns, so that a model has room for the whole solution and for a mistake.",
                row, episode.completion, more, "the end of the solution",
            )  # fmt: skip
            return
        if policy.silent > 1:
            yield Finding(
                f"The gold solution had said everything, and the episode went on for {policy.silent} more turns.",
                "End it when the task is done: return terminated=True.", row, episode.completion, severity="warning",
            )  # fmt: skip
            return


@check("E311", kinds=("multi-turn",), severity="warning")
def an_end_is_told_as_what_it_is(subject: Subject) -> Iterator[Finding]:
    """`terminated` means that the task is done or lost, `truncated` that the turns were used up."""
    top, most = subject.traits.reward_range[1], subject.traits.max_turns
    ended = [(said, episode) for said, episode in answers_tried(subject) if not episode.error]
    for said, episode in ended:
        solved = episode.reward is not None and episode.reward >= top - _TOP
        if episode.stop_reason == "truncated" and (solved or said.what == "the gold answer") and episode.turns < most:
            yield Finding(
                f"An episode that was solved at turn {episode.turns} of {most} ends as truncated.",
                "step returns (observation, reward, terminated, truncated, info): return terminated=True for it.",
                said.row, said.completion, "truncated", "terminated", "error",
            )  # fmt: skip
            return
    idle = [(said, episode) for said, episode in ended if said.what in ("an empty answer", "a full stop", "one letter")]
    lengths = {(episode.turns, episode.stop_reason) for _, episode in idle}
    if len(idle) > 2 and lengths == {(most, "terminated")} and most > 1:
        said, _ = idle[0]
        yield Finding(
            f"An episode in which nothing was done ends as terminated at turn {most}, which is max_turns.",
            "Leave it to max_turns, or return truncated=True, unless the task is lost by then.",
            said.row, said.completion, "terminated", "truncated", "info",
        )  # fmt: skip


@check("E314", kinds=("tools", "multi-turn"), severity="warning", share=0.3)
def an_episode_comes_to_an_end(subject: Subject) -> Iterator[Finding]:
    """An episode in which nothing is achieved ends after a bounded number of turns."""
    if subject.traits.max_turns <= MOST_TURNS:
        return
    for said, episode in answers_tried(subject):
        if episode.stop_reason == "max_turns" and episode.turns >= MOST_TURNS:
            message = f"An episode ({said.what}) was not over after {episode.turns} turns."
            hint = f"max_turns is {subject.traits.max_turns:,}: set it to what the solution needs, and some more."
            yield Finding(message, hint, said.row, said.completion, episode.turns)
            return


@check("E312", kinds=("tools", "multi-turn"), share=3)
def no_action_is_fatal(subject: Subject) -> Iterator[Finding]:
    """Whatever a model says, in whichever turn, is answered or ends the episode, and raises nothing."""
    tried = [*answers_tried(subject), *_odd_in_each_turn(subject)]
    failed: dict[str, list[tuple[Said, Episode]]] = {}
    for said, episode in tried:
        if episode.error and episode.error.whose == "environment" and episode.error.stage != "score":
            error = failure_of(episode)
            failed.setdefault(error.cause if error else "", []).append((said, episode))
    for cause, cases in failed.items():
        said, _ = min(cases, key=lambda case: len(str(case[0].completion)))
        episode = subject.answer(said.row, said.completion)
        error = failure_of(episode)
        if error is not None:
            message = f"{error.message.rstrip('.')}, in turn {max(1, episode.turns)}, on {said.what}."
            yield Finding(message, _ANSWER, said.row, said.completion, expected="an observation", cause=cause)


@check("E313", kinds=("tools", "multi-turn"), severity="warning", share=0.5)
def closing_is_harmless(subject: Subject) -> Iterator[Finding]:
    """`close` may come twice, before a reset and in the middle of an episode, and raises nothing."""
    row = subject.chosen[0]
    if subject.traits.instances == "shared" or not callable(getattr(subject.loaded.env, "close", None)):
        return
    for began in (False, True):
        env = subject.loaded.instance()
        if began and hasattr(env, "reset"):
            subject.call("reset", env.reset, seed=0, options=subject.row(row), row=row)
        what = "close in the middle of an episode" if began else "close before a reset"
        for told in (what, f"{what}, the second time"):
            try:
                subject.call(told, env.close, row=row)
            except FailedHereError as exc:
                yield Finding(exc.message, "Put away only what is there, and forget it then.", row, cause=exc.cause)
                return


class _GoldAndMore:
    """Plays the gold solution, and can be asked what it would have said next."""

    name = "gold"

    def __init__(self) -> None:
        self._gold = GoldPolicy()
        self._last: Request | None = None
        self.silent = 0
        """Turns at the end in which it had nothing to say."""

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution."""
        self._last = request
        turn = await self._gold.respond(request)
        self.silent = 0 if _says(turn.message) else self.silent + 1
        return turn

    def next_after(self, episode: Episode) -> Message | None:
        """The message that the solution still has after an episode that was cut off."""
        if self._last is None or self.silent:
            return None
        request = replace(self._last, messages=episode.messages, turn=self._last.turn + 1)
        message = run_loop(GoldPolicy().respond(request)).message
        return message if _says(message) else None


def _says(message: Message) -> bool:
    return bool(message.get("content") or message.get("tool_calls"))


def _odd_in_each_turn(subject: Subject) -> list[tuple[Said, Episode]]:
    """Odd texts and broken calls, each after a course that was well begun."""
    courses = [said for said, episode in answers_tried(subject) if not episode.error and episode.turns > 1]
    odd: list[tuple[str, Any]] = [*_broken_calls(subject), *ODD_TEXTS.items()]
    said: list[Said] = []
    for number in range(3 * MANY[subject.effort] if courses else 0):
        course = courses[subject.random.randrange(len(courses))]
        turns = own_turns(course.completion)
        what, action = odd[number % len(odd)]
        turn = subject.random.randrange(len(turns) + 1)
        said.append(Said(course.row, what, [*turns[:turn], action, *turns[turn:]]))
    said += [Said(subject.chosen[0], what, [action]) for what, action in _broken_calls(subject)]
    return list(zip(said, subject.answers((item.row, item.completion) for item in said), strict=False))


def _broken_calls(subject: Subject) -> list[tuple[str, Message]]:
    """Messages with calls of no tool, without arguments, with arguments of wrong types, and no text at all."""
    names = [tool["function"]["name"] for tool in subject.tools] or ["answer"]
    calls: list[tuple[str, Any]] = [
        ("a call of an unknown tool", {"name": "no_such_tool", "arguments": {}}),
        ("a call that names no tool", {"name": None, "arguments": {}}),
        ("a call with arguments that are no JSON", {"name": names[0], "arguments": '{"x": '}),
        ("a call with a list as arguments", {"name": names[0], "arguments": [1]}),
        *((f"a call of {name} without arguments", {"name": name, "arguments": {}}) for name in names),
        *((f"a call of {name} with null", {"name": name, "arguments": dict.fromkeys(_parameters(subject, name))})
          for name in names),
    ]  # fmt: skip
    empty: Message = {"role": "assistant", "content": ""}
    messages = [(what, empty | {"tool_calls": [{"function": call}]}) for what, call in calls]
    return [*messages, ("a message without content", {"role": "assistant", "content": None})]


def _parameters(subject: Subject, name: str) -> list[str]:
    for tool in subject.tools:
        if tool["function"]["name"] == name:
            return list((tool["function"].get("parameters") or {}).get("properties") or {})
    return []
