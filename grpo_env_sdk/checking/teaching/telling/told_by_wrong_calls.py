"""Calls that change something and tell, when they are wrong, with what they would have been right."""

from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import mates_of, says, secrets, words_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, as_good_on_most, last_acts, looking_tools
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, canonical_json

FEWEST_VALUES = 3
"""How many different values the replies have to show, so that it is not one that all rows share."""


def told_by_wrong_calls(subject: Subject) -> Iterator[Finding]:
    """The finding that the reply to a wrong value has the right one alone, which scores when it is given next."""
    looking = looking_tools(subject)
    for name, acts in last_acts(subject).items() if subject.traits.kind != "single-turn" else ():
        for parameter in acts[0].arguments if name not in looking else ():
            unknown = {act.gold.row: act for act in acts if _has_to_be_found(subject, act, parameter)}
            tried: list[tuple[int, Completion]] = [
                (row, [*act.before, act.again(**{parameter: wrong_value(act.arguments[parameter])}), *_rest(act)])
                for row, act in unknown.items()
            ]
            told = [
                episode for episode in won_of(subject, play_answers(subject, tried))
                if _tells(episode, unknown[episode.row_index], parameter)
            ]  # fmt: skip
            values = {str(unknown[episode.row_index].arguments[parameter]) for episode in told}
            if len(values) >= FEWEST_VALUES and as_good_on_most(subject, told, len(acts)):
                yield _finding(subject, unknown[told[0].row_index], parameter, told[0], len(told), len(acts))
                return


def _rest(act: Act) -> list[dict[str, object]]:
    """The turns of gold from the call on."""
    return act.gold.turns[len(act.before) :]


def _has_to_be_found(subject: Subject, act: Act, parameter: str) -> bool:
    """Whether a value is one word, or a number, that nothing had said when gold used it."""
    value = act.arguments.get(parameter)
    is_value = isinstance(value, str | int) and not isinstance(value, bool)
    return is_value and len(words_of(str(value)) & secrets(subject).get(act.gold.row, set())) == 1


def _tells(episode: Episode, act: Act, parameter: str) -> bool:
    """Whether the reply to the wrong call has the right value, and nothing else of its form."""
    calls = [call for call in episode.tool_calls if call["name"] == act.name]
    wrong = next((call for call in calls if call["arguments"].get(parameter) != act.arguments[parameter]), None)
    if wrong is None:
        return False
    right = str(act.arguments[parameter]).casefold()
    said = words_of(str(wrong["content"])) - words_of(canonical_json(wrong["arguments"]))
    return right in said and not mates_of(right, said)


def _finding(subject: Subject, act: Act, parameter: str, episode: Episode, told: int, of: int) -> Finding:
    right = act.arguments[parameter]
    reply = next(text for call in episode.tool_calls if says(text := str(call["content"]), str(right)))
    return Finding(
        f"{act.name} with a wrong {parameter!r} replies with the right one, on {told} of {of} rows: {quoted(right)} in "
        f"{quoted(reply, 100)}, and the call with it then scores {episode.reward:g}.",
        "Say only that it was wrong, and keep what the scorer compares with out of replies; or count the first call.",
        act.gold.row, own_turns(episode.completion), reward_with_parts(episode), less_than_gold(subject, episode),
    )  # fmt: skip
