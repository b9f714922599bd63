"""Whether positions are counted as the prompt, its list of options or a schema says: from 1, and not from 0."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds, less_than_gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, compared_acts, last_acts
from grpo_env_sdk.checking.evidence.tool_use.calls import tools_in
from grpo_env_sdk.checking.evidence.variants import Variant, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.first_items_hidden import first_items_hidden
from grpo_env_sdk.checking.teaching.forms.first_page import FROM_ONE, ZERO, first_page_at_zero
from grpo_env_sdk.checking.teaching.forms.numbered_lines import numbers_beside_lines
from grpo_env_sdk.checking.teaching.forms.numbers_as_named import numbers_as_named
from grpo_env_sdk.checking.teaching.forms.numbers_beside import numbers_beside_told
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

FEWEST_ROWS, FEWEST_ZEROS, FEWEST_PLACES, MOST_ROWS = 8, 2, 3, 40
_LISTED = regex(r"^\s*\(?(\d+)[.):]\s", re.MULTILINE)
_HINT = "Subtract 1 in the scorer or the tool, or say that the first one is number 0."


@check("G526", needs=("acts",))
def positions_are_counted_as_told(subject: Subject) -> Iterator[Finding]:
    """Gold and tools count as a prompt or a schema says: from 1, and not from 0, or from the day that it names."""
    yield from _in_answers(subject)
    in_calls = (list(_in_calls(subject)) or list(first_page_at_zero(subject))) if subject.tools else []
    in_calls = in_calls or (list(first_items_hidden(subject)) if subject.tools else [])
    in_calls = in_calls or (list(numbers_beside_told(subject)) if subject.tools else [])
    yield from in_calls
    as_named = list(numbers_as_named(subject)) if subject.tools and not in_calls else []
    yield from as_named
    if not in_calls and not as_named and subject.traits.kind != "single-turn":
        yield from numbers_beside_lines(subject)


def _in_answers(subject: Subject) -> Iterator[Finding]:
    """Gold texts that are 0 on some rows, where the prompt lists or counts from 1."""
    form = form_of_golds(subject)
    said = {row: without_form(gold.text, form).strip() for row, gold in golds(subject).items()}
    told = {row: int(text) for row, text in said.items() if text.isdecimal() and len(text) < 4}
    if len(told) < max(FEWEST_ROWS, len(said)):
        return
    prompts = {row: prompt_text(subject, row) for row in told}
    if not (_counted_from_one(prompts) or _last_never_said(prompts, told)):
        return
    zeros = [row for row, number in told.items() if number == 0]
    some = [golds(subject)[row] for row in [*zeros, *told][:MOST_ROWS]]
    as_told = played(subject, [Variant("told", gold, _next(gold, form)) for gold in some]).get("told")
    if len(zeros) >= FEWEST_ZEROS and as_told and not as_told.won:
        row, episode = zeros[0], as_told.episodes[0]
        yield Finding(
            f"The prompt counts from 1, and the scorer from 0: gold is 0 on {len(zeros)} of {len(told)} rows, and the "
            f"number as the prompt has it, {said[row]} + 1, scores {episode.reward:g} instead of "
            f"{golds(subject)[row].reward:g} in row {row}.",
            _HINT, row, own_turns(episode.completion), episode.reward, golds(subject)[row].reward,
        )  # fmt: skip


def _counted_from_one(prompts: dict[int, str]) -> bool:
    """Whether every prompt says that it counts from 1, and none says what a zero means."""
    return all(FROM_ONE.search(text) and not ZERO.search(text) for text in prompts.values())


def _last_never_said(prompts: dict[int, str], told: dict[int, int]) -> bool:
    """Whether every prompt lists options from 1 on, and gold is never the last of them."""
    listed = {row: [int(number) for number in _LISTED.findall(text)] for row, text in prompts.items()}
    if any(len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)) for numbers in listed.values()):
        return False
    below_last = [told[row] - numbers[-1] for row, numbers in listed.items()]
    return max(below_last) == -1 and not any(ZERO.search(text) for text in prompts.values())


def _next(gold: Gold, form: tuple[str, str]) -> str:
    return f"{form[0]}{int(without_form(gold.text, form)) + 1}{form[1]}"


def _in_calls(subject: Subject) -> Iterator[Finding]:
    """Arguments of gold that are 0 on some rows, where the schema counts from 1, or what is listed."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments:
            numbers = [act for act in acts if type(act.arguments.get(parameter)) is int]
            zeros = [act for act in numbers if act.arguments[parameter] == 0]
            from_zero = len(zeros) >= FEWEST_ZEROS or _are_places_from_zero(subject, numbers, parameter)
            where = _counts_from_one(subject, numbers, parameter) if from_zero else ""
            as_told = _played_as_told(subject, numbers, parameter) if where else []
            if as_told and not won_of(subject, as_told):
                act = (zeros or numbers)[0]
                row, value = act.gold.row, act.arguments[parameter]
                episode = next((one for one in as_told if one.row_index == row), as_told[0])
                on = f"on {len(zeros)} of {len(numbers)} rows" if zeros else f"for what is number {value + 1} of a list"
                yield Finding(
                    f"{where} counts {parameter!r} from 1, and {name} from 0: gold calls it with {value} {on}, and "
                    f"with one more, as the model reads it, scores {episode.reward:g}, e.g. in row {row}.",
                    _HINT, row, own_turns(episode.completion), quoted(episode.reward), less_than_gold(subject, episode),
                )  # fmt: skip
                return


def _are_places_from_zero(subject: Subject, acts: Sequence[Act], parameter: str) -> bool:
    """Whether these are the places, counted from 0, of one column's value in the list of another column."""
    if len(acts) < FEWEST_ROWS or len({act.arguments[parameter] for act in acts}) < FEWEST_PLACES:
        return False
    rows = [(subject.row(act.gold.row), act.arguments[parameter]) for act in acts]
    lists = [name for name in subject.rows.columns if all(isinstance(row.get(name), list) for row, _ in rows)]
    return any(
        all(row[held].count(row[item]) == 1 and row[held].index(row[item]) == place for row, place in rows)
        for held in lists
        for item in subject.rows.columns
        if item not in ("prompt", "case_idx", held) and all(item in row for row, _ in rows)
    )


def _counts_from_one(subject: Subject, acts: Sequence[Act], parameter: str) -> str:
    """What counts the values of a parameter from 1, as a sentence begins; empty if nothing does."""
    if parameter in _from_one_in_schema(subject, acts[0]):
        return f"The schema of {acts[0].name}"
    told = {act.gold.row: act.arguments[parameter] for act in acts}
    texts = {row: replies_to_gold(subject, row) for row in told}
    shown = {row: "\n".join([prompt_text(subject, row), *texts[row]]) for row in told}
    listed = len(told) >= FEWEST_ROWS and _last_never_said(shown, told)
    explained = ZERO.search(canonical_json(_tools_of(subject, acts[0])))
    return "A list that the model reads" if listed and not explained else ""


def _from_one_in_schema(subject: Subject, act: Act) -> Iterator[str]:
    """The parameters whose description says that they count from 1, and nothing of a zero."""
    for tool in _tools_of(subject, act):
        for parameter, schema in properties_of(tool).items():
            text = str(schema.get("description") or "")
            if FROM_ONE.search(text) and not ZERO.search(text):
                yield parameter


def _tools_of(subject: Subject, act: Act) -> list[dict[str, Any]]:
    """The schemas of the tool that is called."""
    return [tool for tool in tools_in(subject, gold_episodes(subject)[act.gold.row]) if name_of(tool) == act.name]


def _played_as_told(subject: Subject, acts: Sequence[Act], parameter: str) -> list[Episode]:
    """The episodes of these calls with one more."""
    more = [(act, [*act.before, act.again(**{parameter: act.arguments[parameter] + 1}), *act.end]) for act in acts]
    return compared_acts(subject, more)
