"""Whether the error of an odd call names the one of the options of a prompt that is the answer."""

from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.row_in_errors import FEWEST_VALUES, MOST_ROWS, MOSTLY, ODD, odd_call
from grpo_env_sdk.types import Episode

FEWEST_SIGNS = 2


def option_in_errors(subject: Subject) -> Iterator[Finding]:
    """The finding that an error has gold's answer and none of the other options, and saying it at once scores."""
    known = [gold for gold in golds(subject).values() if gold.calls and len(gold.text) >= FEWEST_SIGNS]
    options = list(dict.fromkeys(gold.text.casefold() for gold in known))
    listed = [gold for gold in known if _is_listed(prompt_text(subject, gold.row), gold, options)][:MOST_ROWS]
    if len(listed) < FEWEST_ROWS or len({gold.text for gold in listed}) < FEWEST_VALUES:
        return
    for tool in subject.tools:
        for value in ODD:
            at_once: list[tuple[int, Completion]] = [
                (gold.row, [call, gold.turns[-1]]) for gold in listed if (call := odd_call(subject, tool, gold, value))
            ]
            told = [one for one in play_answers(subject, at_once) if _tells(subject, one, options)]
            if len(told) >= max(FEWEST_ROWS, MOSTLY * len(listed)):
                yield _finding(subject, name_of(tool), value, told, len(listed))
                return


def _finding(subject: Subject, name: str, value: object, told: list[Episode], of: int) -> Finding:
    episode = told[0]
    answer = golds(subject)[episode.row_index].text
    return Finding(
        f"The error of {name} for {value!r} names the answer alone of all that the prompt lists, on {len(told)} of "
        f"{of} rows: {quoted(answer)} in {quoted(str(episode.tool_calls[0]['content']), 120)}, and saying it then "
        f"scores {episode.reward:g}.",
        "Say only what is wrong with the call; keep what has to be found out of errors.",
        episode.row_index, own_turns(episode.completion), episode.reward, "an error without the answer",
    )  # fmt: skip


def _is_listed(prompt: str, gold: Gold, options: list[str]) -> bool:
    """Whether a prompt has the answer among others, so that it does not tell it."""
    there = [option for option in options if says(prompt, option)]
    return gold.text.casefold() in there and len(there) >= FEWEST_VALUES


def _tells(subject: Subject, episode: Episode, options: list[str]) -> bool:
    call = episode.tool_calls[0] if episode.tool_calls else {}
    reply, answer = str(call.get("content", "")), golds(subject)[episode.row_index].text.casefold()
    is_error = call.get("error") or SAYS_WRONG.search(reply)
    return (
        bool(is_error)
        and [one for one in options if says(reply, one)] == [answer]
        and as_good_as_gold(subject, episode)
    )
