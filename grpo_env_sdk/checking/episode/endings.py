"""How episodes end: enough turns for the solution, correct terminated and truncated, close that works."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import MOST_TURNS, Answer, answers_tried
from grpo_env_sdk.checking.evidence.attempts.odd_texts import ODD_TEXTS, severity_of
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError, failure_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.playing.turns import turns_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import cut_off
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.isolation.calls.async_calls import run_loop
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Episode, Message, Turn

MANY = {"quick": 20, "default": 100, "thorough": 500}
_TOP = 1e-6
_CLOSE = "Close only what exists, and set it to None then."
_ANSWER = "Answer an impossible action with a text that says why: an episode that fails has no score."


@check("E310", kinds=("tools", "multi-turn"), needs=("solve",))
def the_solution_fits_into_an_episode(subject: Subject) -> Iterator[Finding]:
    """The gold solution fits into `max_turns`, and the episode ends after it."""
    for row in subject.sample(MANY[subject.effort]):
        if not subject.time_left:
            return
        policy = _GoldAndMore()
        episode = subject.play(row, policy)
        if not cut_off(episode):
            continue
        more = policy.next_after(episode)
        if more:
            earned = (episode.reward or 0.0) > subject.traits.reward_range[0]
            if earned and re.search(rf"\b{subject.traits.max_turns}\b", prompt_text(subject, row)):
                continue  # the turns are a rule of the game, and its end
            yield Finding(
                f"The gold solution is cut off after {episode.turns} turns ({episode.stop_reason}), incomplete.",
                "Raise max_turns, so that a model has turns for the whole solution and for a mistake.",
                row, episode.completion, more, "the end of the solution", "warning" if earned else "error",
            )  # fmt: skip
            return
        if policy.silent > 1:
            yield Finding(
                f"The gold solution was complete, but the episode continued for {policy.silent} more turns.",
                "End it when the task is done: return terminated=True.", row, episode.completion, severity="warning",
            )  # fmt: skip
            return


@check("E311", kinds=("multi-turn",), severity="warning")
def ends_are_reported_correctly(subject: Subject) -> Iterator[Finding]:
    """`terminated` means that the task is solved or lost, `truncated` that the turns are used up."""
    top, most = subject.traits.reward_range[1], subject.traits.max_turns
    ended = [(answer, episode) for answer, episode in answers_tried(subject) if not episode.error]
    of_gold = {episode.stop_reason for answer, episode in ended if answer.what == "the gold answer"}
    for answer, episode in ended:
        solved = episode.reward is not None and episode.reward >= top - _TOP
        solved = solved and of_gold != {"terminated"}  # else the top was reached in another way, not by solving it
        if episode.stop_reason == "truncated" and (solved or answer.what == "the gold answer") and episode.turns < most:
            yield Finding(
                f"An episode that was solved in turn {episode.turns} of {most} ends as truncated.",
                "step returns (observation, reward, terminated, truncated, info): return terminated=True here.",
                answer.row, answer.completion, "truncated", "terminated", "error",
            )  # fmt: skip
            return
    idle = [
        (answer, episode)
        for answer, episode in ended
        if answer.what in ("an empty answer", "a full stop", "one letter")
    ]
    lengths = {(episode.turns, episode.stop_reason) for _, episode in idle}
    if len(idle) > 2 and lengths == {(most, "terminated")} and most > 1:
        answer, _ = idle[0]
        yield Finding(
            f"An episode without any action ends as terminated in turn {most}, which is max_turns.",
            "Let max_turns end it, or return truncated=True, unless the task is lost then.",
            answer.row, answer.completion, "terminated", "truncated", "info",
        )  # fmt: skip


@check("E314", kinds=("tools", "multi-turn"), severity="warning", share=0.3)
def an_episode_ends(subject: Subject) -> Iterator[Finding]:
    """An episode without progress ends after a bounded number of turns."""
    if subject.traits.max_turns <= MOST_TURNS:
        return
    for answer, episode in answers_tried(subject):
        if episode.stop_reason == "max_turns" and episode.turns >= MOST_TURNS:
            message = f"An episode ({answer.what}) had not ended after {episode.turns} turns."
            hint = f"max_turns is {subject.traits.max_turns:,}: set it a little above what the solution needs."
            yield Finding(message, hint, answer.row, answer.completion, episode.turns)
            return


@check("E312", kinds=("tools", "multi-turn"), share=3)
def no_action_crashes(subject: Subject) -> Iterator[Finding]:
    """Whatever a model writes in any turn gets an answer or ends the episode, and raises nothing."""
    tried = [*answers_tried(subject), *_odd_in_each_turn(subject)]
    failed: dict[str, list[tuple[Answer, Episode]]] = {}
    for answer, episode in tried:
        if episode.error and episode.error.whose == "environment" and episode.error.stage != "score":
            error = failure_of(episode)
            failed.setdefault(error.cause if error else "", []).append((answer, episode))
    for cause, cases in failed.items():
        answer, _ = min(cases, key=lambda case: len(str(case[0].completion)))
        episode = subject.answer(answer.row, answer.completion)
        error = failure_of(episode)
        if error is not None:
            message = f"{error.message.rstrip('.')}, in turn {max(1, episode.turns)}, on {answer.what}."
            fault = cases[0][1].error
            severity = severity_of((answer.what for answer, _ in cases), fault.type if fault else "")
            yield Finding(
                message, _ANSWER, answer.row, answer.completion, expected="an observation", cause=cause,
                severity=severity,
            )  # fmt: skip


@check("E313", kinds=("tools", "multi-turn"), severity="warning", share=0.5)
def closing_works(subject: Subject) -> Iterator[Finding]:
    """`close` raises nothing when it is called twice, before a reset, in the middle of an episode or after one."""
    row = subject.chosen[0]
    if subject.traits.instances == "shared" or not callable(getattr(subject.loaded.env, "close", None)):
        return
    for began in (False, True):
        env = subject.loaded.instance()
        if began and hasattr(env, "reset"):
            subject.call("reset", env.reset, seed=0, options=subject.row(row), row=row)
        what = "close in the middle of an episode" if began else "close before a reset"
        for call in (what, f"{what}, the second time"):
            try:
                subject.call(call, env.close, row=row)
            except FailedHereError as exc:
                yield Finding(exc.message, _CLOSE, row, cause=exc.cause)
                return
    _ = subject.answer(row, "")
    for failure in subject.loaded.resources.not_closed.values():
        yield Finding(failure, _CLOSE, row)


class _GoldAndMore:
    """Plays the gold solution, and knows its next message."""

    name = "gold"

    def __init__(self) -> None:
        self._gold = GoldPolicy()
        self._last: Request | None = None
        self.silent = 0
        """Empty turns at the end."""

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution."""
        self._last = request
        turn = await self._gold.respond(request)
        self.silent = 0 if _has_content(turn.message) else self.silent + 1
        return turn

    def next_after(self, episode: Episode) -> Message | None:
        """The next message of the solution after an episode that was cut off, if there is one."""
        if self._last is None or self.silent:
            return None
        request = replace(self._last, messages=episode.messages, turn=self._last.turn + 1)
        message = run_loop(GoldPolicy().respond(request)).message
        return message if _has_content(message) else None


def _has_content(message: Message) -> bool:
    return bool(message.get("content") or message.get("tool_calls"))


def _odd_in_each_turn(subject: Subject) -> list[tuple[Answer, Episode]]:
    """Odd texts and invalid calls, each inside an episode that started well."""
    started = [answer for answer, episode in answers_tried(subject) if not episode.error and episode.turns > 1]
    odd: list[tuple[str, Any]] = [*_invalid_calls(subject), *ODD_TEXTS.items()]
    answers: list[Answer] = []
    for number in range(3 * MANY[subject.effort] if started else 0):
        base = started[subject.random.randrange(len(started))]
        turns = turns_of(base.completion)
        what, action = odd[number % len(odd)]
        turn = subject.random.randrange(len(turns) + 1)
        answers.append(Answer(base.row, what, [*turns[:turn], action, *turns[turn:]]))
    answers += [Answer(subject.chosen[0], what, [action]) for what, action in _invalid_calls(subject)]
    return list(zip(answers, subject.answers((item.row, item.completion) for item in answers), strict=False))


def _invalid_calls(subject: Subject) -> list[tuple[str, Message]]:
    """Messages with calls of unknown tools, without arguments or with wrong ones, and without content."""
    tools = {name_of(tool): list(properties_of(tool)) for tool in subject.tools_of(subject.chosen[0])}
    names = list(tools) or ["answer"]
    calls: list[tuple[str, Any]] = [
        ("a call of an unknown tool", {"name": "no_such_tool", "arguments": {}}),
        ("a call without a tool name", {"name": None, "arguments": {}}),
        ("a call whose arguments are not JSON", {"name": names[0], "arguments": '{"x": '}),
        ("a call with a list as arguments", {"name": names[0], "arguments": [1]}),
        *((f"a call of {name} without arguments", {"name": name, "arguments": {}}) for name in names),
        *((f"a call of {name} with null", {"name": name, "arguments": dict.fromkeys(tools.get(name, ()))})
          for name in names),
    ]  # fmt: skip
    empty: Message = {"role": "assistant", "content": ""}
    messages = [(what, empty | {"tool_calls": [{"function": call}]}) for what, call in calls]
    return [*messages, ("a message without content", {"role": "assistant", "content": None})]
