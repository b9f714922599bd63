"""Whether gold's calls have the form that schemas ask for, or that is shown, where a call in that form is refused."""

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.golds import gold_episodes, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import messages_before, own_turns
from grpo_env_sdk.checking.evidence.prompts.asked_copies import look_alike, unlike_shown
from grpo_env_sdk.checking.evidence.prompts.asked_dates import broken_date
from grpo_env_sdk.checking.evidence.prompts.asked_numbers import broken_decimals, broken_time
from grpo_env_sdk.checking.evidence.prompts.broken_form import BrokenForm
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, compared_acts, last_acts
from grpo_env_sdk.checking.findings.finding import Finding

MOST_ROWS, FEWEST = 8, 3
"""On how many rows calls are made in the form that is asked for, and on how few that is refused."""
_READERS = (broken_date, broken_time, broken_decimals)


def calls_break_their_schema(subject: Subject) -> Iterator[Finding]:
    """The findings that calls in the form that their schema asks for, or that is shown, are not as good as gold's."""
    for name, acts in last_acts(subject).items():
        tool = tool_named(subject.tools, name)
        for parameter, schema in properties_of(tool).items() if tool else ():
            of_texts = [act for act in acts if isinstance(act.arguments.get(parameter), str)]
            asked = _asked(schema)
            broken = [(act, one) for act in of_texts if asked and (one := _broken(asked, act, parameter, of_texts))]
            broken = broken or [(act, one) for act in of_texts if (one := _unlike_shown(subject, act, parameter))]
            if len(broken) >= FEWEST:
                yield from _finding_if_refused(subject, broken[:MOST_ROWS], parameter)


def _asked(schema: dict[str, Any]) -> str:
    """What a schema says of the form of a parameter."""
    form = {"date": " As YYYY-MM-DD."}.get(str(schema.get("format")), "")
    return f"{schema.get('description') or ''}{form}"


def _broken(asked: str, act: Act, parameter: str, acts: Sequence[Act]) -> BrokenForm | None:
    texts = [str(one.arguments[parameter]) for one in acts]
    found = (read(asked, str(act.arguments[parameter]), texts) for read in _READERS)
    return next((one for one in found if one and one.written), None)


def _unlike_shown(subject: Subject, act: Act, parameter: str) -> BrokenForm | None:
    """The text of an argument as the prompt or a reply before its call shows it, where it only looks the same."""
    prompt, text = prompt_text(subject, act.gold.row), str(act.arguments[parameter])
    before = messages_before(gold_episodes(subject)[act.gold.row].completion, len(act.before))
    found = unlike_shown(prompt, "\n".join([prompt, *texts_of(before)]), text)
    copies = tuple(one for one in found.written if look_alike(one, text)) if found else ()
    return BrokenForm("", copies) if copies else None


def _finding_if_refused(
    subject: Subject, broken: Sequence[tuple[Act, BrokenForm]], parameter: str
) -> Iterator[Finding]:
    tried = [(act, act.instead(**{parameter: text})) for act, form in broken for text in form.written]
    played = compared_acts(subject, tried)
    won = {one.row_index for one in won_of(subject, played)}
    lost = [one for one in played if one.row_index not in won]
    if len({one.row_index for one in lost}) < FEWEST or won:
        return
    act, form = next(one for one in broken if one[0].gold.row == lost[0].row_index)
    write = quoted if form.asked else ascii
    of_schema = f"The schema of {act.name} asks for {parameter!r} as {quoted(form.asked)}"
    what = of_schema if form.asked else f"{act.name} does not take {parameter!r} as it is shown"
    yield Finding(
        f"{what}, and gold writes {write(act.arguments[parameter])}: {write(form.written[0])} scores "
        f"{lost[0].reward:g}, on {len(broken)} rows.",
        "Let the tool read what its schema asks for, or correct the schema and gold.",
        act.gold.row, own_turns(lost[0].completion), reward_with_parts(lost[0]), act.gold.reward,
    )  # fmt: skip
