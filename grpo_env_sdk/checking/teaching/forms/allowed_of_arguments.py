"""Whether arguments are accepted in each form that the prompt or the schema of their tool leaves open."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import loses_half
from grpo_env_sdk.checking.evidence.playing.tool_parameters import schema_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import both_quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, last_acts, played_acts
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.date_forms import DATE_FORMS
from grpo_env_sdk.checking.teaching.forms.form import Form

MOST_ROWS = 8
"""On how many rows a form is tried."""


def arguments_are_refused_in_allowed_forms(subject: Subject) -> Iterator[Finding]:
    """The finding that gold's call with an argument in another form, which is left open, scores less than half."""
    for acts in last_acts(subject).values():
        for parameter, value in acts[0].arguments.items():
            for form in DATE_FORMS if isinstance(value, str) else ():
                tried = _tried(subject, acts, parameter, form)
                if len(tried) >= form.fewest and (found := _finding_if_refused(subject, tried, parameter, form)):
                    yield found
                    return


def _tried(subject: Subject, acts: Sequence[Act], parameter: str, form: Form) -> list[tuple[Act, str]]:
    """The arguments in this form, where what is said of them leaves it open."""
    found = []
    for act in acts:
        own = act.arguments.get(parameter)
        text = form.write(own, _said(subject, act, parameter)) if isinstance(own, str) else None
        if text is not None and text != own and form.applies(_said(subject, act, parameter), str(own)):
            found.append((act, text))
    return found[:MOST_ROWS]


def _said(subject: Subject, act: Act, parameter: str) -> str:
    """What the schema says of a parameter, and the prompt."""
    described = schema_of(subject.tools, act.name, parameter).get("description") or ""
    return f"{described}\n{prompt_text(subject, act.gold.row)}"


def _finding_if_refused(
    subject: Subject, tried: Sequence[tuple[Act, str]], parameter: str, form: Form
) -> Finding | None:
    played = played_acts(subject, [(act, act.instead(**{parameter: text})) for act, text in tried])
    if len(played) < len(tried) or not all(loses_half(subject, one) for one in played):
        return None
    (act, text), episode = tried[0], played[0]
    shown, right = both_quoted(text, str(act.arguments[parameter]))
    return Finding(
        f"{parameter!r} of {act.name} {form.name} is refused, "
        f"{'although that is allowed' if form.sure else 'which nothing says'}: {shown} scores {episode.reward:g}, and "
        f"{right} {act.gold.reward:g}, on {len(played)} rows.",
        "Compare what arguments mean, such as parsed dates and moments, or say in the schema which form counts.",
        act.gold.row, own_turns(episode.completion), reward_with_parts(episode), act.gold.reward,
        severity="error" if form.sure else "warning",
    )  # fmt: skip
