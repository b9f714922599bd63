"""Keys with which gold looks something up, and that nothing shows: a model can only guess them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.secret_words import form_of_word
from grpo_env_sdk.checking.evidence.shown_texts import shows_pictures, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Act, last_acts
from grpo_env_sdk.checking.evidence.tool_use.calls import TriedCall, by_tool, calls_made, tools_in
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

FEWEST_REPLIES = 3
"""A tool may show the key to a call that was not tried, unless it gave so many different replies."""
_KEY = regex(r"(?=.*[^\W\d])(?=(?:.*\d){3})\w+(?:-\w+)*")
"""Letters and three digits or more, which nobody guesses."""
_WORKED_OUT = regex(
    r"\b(?:(?:de|en)cod\w+|\w*cipher\w*|revers\w+|backwards?|hash\w*|checksum|base64|hex\w*|comput\w+|calculat\w+|"
    r"sum|plus|minus|multipl\w+|convert\w*|spell\w*|double[ds]?|zero|two|three|four|five|six|seven|eight|nine)\b",
    re.IGNORECASE,
)
"""Words of a prompt from which a key may be worked out, or in which it may be spelled."""


@dataclass(frozen=True, slots=True)
class HiddenKeys:
    """A parameter of a tool, and the acts of gold whose value for it is shown nowhere."""

    tool: str
    parameter: str
    acts: list[Act]
    of: int


def hidden_keys(subject: Subject) -> Iterator[HiddenKeys]:
    """The keys of tools that answer to gold's key alone, where all that may show it was tried."""
    if subject.traits.user != "none" or shows_pictures(subject):
        return  # who may be asked for it, or show it
    for tool, acts in last_acts(subject).items():
        for parameter in acts[0].arguments:
            keys = {act.gold.row: str(act.arguments.get(parameter, "")) for act in acts}
            hidden = [act for act in acts if _KEY.fullmatch(keys[act.gold.row]) and _is_hidden(subject, act, keys)]
            differ = len({keys[act.gold.row] for act in hidden}) == len(hidden)
            if len(hidden) < max(FEWEST_ROWS, len(acts) / 2) or not differ or _may_be_shown(subject, keys):
                continue
            if _answers_to_it_alone(subject, parameter, hidden):
                yield HiddenKeys(tool, parameter, hidden, len(acts))


def _is_hidden(subject: Subject, act: Act, keys: dict[int, str]) -> bool:
    """Whether nothing like the key is in what the model had seen in gold, and nothing there to work it out from."""
    episode = gold_episodes(subject)[act.gold.row]
    own = places_of_turns(episode.messages)
    before = episode.messages[: own[len(act.before) - len(act.gold.turns)]]
    key, texts = keys[act.gold.row], texts_of(before)
    schemas = canonical_json(tools_in(subject, episode))
    return key not in schemas and not any(_shows(text, key) or _WORKED_OUT.search(text) for text in texts)


def _may_be_shown(subject: Subject, keys: dict[int, str]) -> bool:
    """Whether some call that was given no key got a reply with one, or some tool hardly answered."""
    calls = by_tool(calls_made(subject))
    names = {name_of(tool) for row in keys for tool in subject.tools_of(row)}
    answered = {name: [call for call in calls.get(name, ()) if not call.error] for name in names}
    if any(len({call.content for call in found}) < FEWEST_REPLIES for found in answered.values()):
        return True
    key = next(iter(keys.values()))
    return any(_reveals(call, key) for found in answered.values() for call in found)


def _reveals(call: TriedCall, key: str) -> bool:
    said = canonical_json(call.outcome["arguments"]).casefold()
    return any(form_of_word(word) == form_of_word(key) and word.casefold() not in said for word in _words(call.content))


def _answers_to_it_alone(subject: Subject, parameter: str, acts: list[Act]) -> bool:
    """Whether gold with another row's key scores less and gets one and the same reply, where gold's replies differ."""
    others = [*acts[1:], acts[0]]
    tried: list[tuple[int, Any]] = [
        (act.gold.row, [*act.before, act.again(**{parameter: other.arguments[parameter]}), *act.end])
        for act, other in zip(acts, others, strict=True)
    ]
    wrong = play_answers(subject, tried)
    if len(wrong) < len(acts):
        return False
    replies = {_reply(episode, act, parameter) for episode, act in zip(wrong, others, strict=True)}
    right = {_reply(gold_episodes(subject)[act.gold.row], act, parameter) for act in acts}
    lower = all(reward_of(episode) < act.gold.reward - NEARLY for episode, act in zip(wrong, acts, strict=True))
    return lower and len(replies) == 1 < len(right) and None not in right and not replies & right


def _reply(episode: Episode, act: Act, parameter: str) -> str | None:
    """What the tool replied to the key of an act, without the key."""
    key = act.arguments[parameter]
    calls = [call for call in episode.tool_calls if call["name"] == act.name]
    given = [call for call in calls if isinstance(call["arguments"], dict) and call["arguments"].get(parameter) == key]
    return str(given[-1]["content"]).replace(str(key), "") if given else None


def _shows(text: str, key: str) -> bool:
    return key.casefold() in text.casefold() or any(form_of_word(word) == form_of_word(key) for word in _words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:-\w+)*", text)
