"""Whether whoever does not choose, and does the same to all that is listed, is paid like gold."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import schema_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES
from grpo_env_sdk.checking.evidence.secret_words import TOKEN, mates_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, results_of_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    as_good_on_most,
    carried_out,
    compared_acts,
    cut_off,
    looking_tools,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, FEWEST, MOST_LISTED = 4, 2, 12
"""On how many rows all listed acts are tried first, and of how many others at least and at most."""
_GOES = regex(r"(?:click|go|goto|open|navigate|visit|enter|walk|jump|travel|fly|start|step|play|draw)(?:_|$)")
"""Names of tools that may be called for all there is, as what they did before is over then."""


def with_all_listed(subject: Subject, name: str, acts: Sequence[Act], forbidden: bool) -> Iterator[Finding]:
    """The finding that gold and the same call for everything else that is listed scores as much as gold."""
    if _GOES.match(name) or not (CHANGES.match(name) or is_needed(subject, name, acts)):
        return
    for parameter in acts[0].arguments:
        tried = {act.gold.row: (act, others) for act in acts if (others := listed_things(subject, act, parameter))}
        if len(tried) < max(FEWEST_ROWS, len(acts) / 2):
            continue
        won: list[Episode] = []
        for rows in (list(tried)[:TASTED], list(tried)[TASTED:]):
            pairs = [(act, _with_all(act, parameter, others)) for act, others in map(tried.__getitem__, rows)]
            won += [
                one for one in won_of(subject, played_acts(subject, pairs))
                if _all_done(subject, one, *tried[one.row_index], parameter)
            ]  # fmt: skip
            if len(won) < TASTED - 1:
                break
        if as_good_on_most(subject, won, len(tried)):
            found = paid(
                subject, won, len(tried),
                f"Gold and the same call of {name} with each other {parameter!r} that is listed",
                "Compare what was reached with the goal as a whole: who does the same to everything has not chosen.",
            )  # fmt: skip
            yield found if forbidden else replace(found, severity="warning")
            return


def is_needed(subject: Subject, name: str, acts: Sequence[Act]) -> bool:
    """Whether gold without the last call of a tool loses, so that it changes something, whatever its name says."""
    without = [(act, [*act.before, *act.after]) for act in acts]
    pairs = [(act, turns) for act, turns in without if turns]
    return (
        name not in looking_tools(subject)
        and len(pairs) >= TASTED
        and not won_of(subject, compared_acts(subject, pairs))
    )


def listed_things(subject: Subject, act: Act, parameter: str) -> list[Any]:
    """What the prompt, replies or the schema list beside the value of gold; nothing where it is one or very many."""
    value = act.arguments.get(parameter)
    own = value if isinstance(value, list) else [value]
    if not own or not isinstance(own[0], str | int) or isinstance(own[0], bool):
        return []
    shown = [prompt_text(subject, act.gold.row)]
    shown += results_of_gold(subject, act.gold.row)
    schema = schema_of(subject.tools_of(act.gold.row), act.name, parameter)
    listed = schema.get("enum") or (schema.get("items") or {}).get("enum") or ()
    found = dict.fromkeys([*listed_beside(own[0], shown), *ids_beside(own[0], shown), *listed])
    given = [one.get(parameter) for _, one in act.gold.calls]
    others = [one for one in found if one not in own and one not in given]
    return others if FEWEST <= len(others) <= MOST_LISTED else []


def ids_beside(value: Any, texts: Sequence[str]) -> list[str]:
    """The words of texts in the form of an id, such as T-12 beside T-47."""
    words = [word for text in texts for word in TOKEN.findall(text)]
    is_id = isinstance(value, str) and any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and value in words
    mates = mates_of(value, set(words)) if is_id else set()
    return [word for word in dict.fromkeys(words) if word in mates]


def _with_all(act: Act, parameter: str, values: Sequence[Any]) -> list[Message]:
    """Gold with the same call for each of these values, in one message before its last text, or with a longer list."""
    if isinstance(act.arguments[parameter], list):
        return act.instead(**{parameter: [*act.arguments[parameter], *values]})
    turns = act.after_gold(**{parameter: values[0]})
    place = max(number for number, turn in enumerate(turns) if turn.get("tool_calls"))
    calls = [act.again(**{parameter: value})["tool_calls"][0] for value in values]
    turns[place] = {**turns[place], "tool_calls": [{**one, "id": f"more_{n}"} for n, one in enumerate(calls)]}
    return turns


def _all_done(subject: Subject, episode: Episode, act: Act, values: Sequence[Any], parameter: str) -> bool:
    """Whether most of the calls that gold does not make were carried out."""
    more = [values] if isinstance(act.arguments[parameter], list) else values
    own = [given for name, given in act.gold.calls if name == act.name]
    done = [
        one for one in episode.tool_calls
        if one["name"] == act.name and one["arguments"] not in own and carried_out(subject, one)
    ]  # fmt: skip
    return not cut_off(episode) and 2 * len(done) > len(more)
