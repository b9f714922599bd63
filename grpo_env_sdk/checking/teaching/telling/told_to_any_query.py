"""Whether a search shows what the row's answer is, and nothing else, also where it is asked for what nothing has."""

from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.evidence.golds import Gold, play_answers, play_compared
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode

MOST_ROWS, MOSTLY, DIFFERENT = 12, 0.75, 3
NONSENSE = ("zzqx", "lorem blip")


def told_to_any_query(subject: Subject) -> Iterator[Finding]:
    """The finding that a search for nonsense finds the answer of the row, where it can find those of all rows."""
    known = [
        gold for gold in golds_with_text(subject, MOST_ROWS) if not says(prompt_text(subject, gold.row), gold.text)
    ]
    if len({gold.text for gold in known}) < DIFFERENT:
        return
    for tool in filter(may_only_look, subject.tools):
        asked = {gold.row: query for gold in known if (query := _query(gold, name_of(tool)))}
        for nonsense in NONSENSE if len(required_of(tool)) == 1 and len(asked) >= FEWEST_ROWS else ():
            own = [gold for gold in known if gold.row in asked]
            told = _told(subject, own, name_of(tool), required_of(tool)[0], nonsense)
            if len(told) >= max(FEWEST_ROWS, MOSTLY * len(own)) and _finds_all(subject, own, tool, asked):
                yield _finding(tool, nonsense, told, own)
                return


def _query(gold: Gold, name: str) -> str:
    """What gold searches for first; empty where its call has more than one text."""
    given = gold.first_given(name) or {}
    (query,) = given.values() if len(given) == 1 else ("",)
    return query if isinstance(query, str) else ""


def _told(subject: Subject, known: Sequence[Gold], name: str, key: str, nonsense: str) -> list[Episode]:
    """The episodes in which the search for nonsense shows what gold says, and what gold says in no other row."""
    played = play_answers(subject, [(gold.row, [call_message(name, **{key: nonsense}), ""]) for gold in known])
    texts = {gold.row: gold.text for gold in known}
    return [one for one in played if _shows_only(one, texts)]


def _shows_only(episode: Episode, texts: Mapping[int, str]) -> bool:
    if not episode.tool_calls or episode.tool_calls[0]["error"]:
        return False
    reply, own = str(episode.tool_calls[0]["content"]), texts[episode.row_index]
    return says(reply, own) and not any(says(reply, other) for other in texts.values() if other != own)


def _finds_all(subject: Subject, known: Sequence[Gold], tool: dict[str, object], asked: Mapping[int, str]) -> bool:
    """Whether gold's search of another row, done in this one, finds what gold says there: all rows search the same."""
    pairs = [(one, two) for one, two in zip(known, [*known[1:], *known[:1]], strict=True) if one.text != two.text]
    name, key = name_of(tool), required_of(tool)[0]
    played = play_compared(
        subject, [(one.row, [call_message(name, **{key: asked[two.row]}), ""]) for one, two in pairs]
    )
    others = {one.row: two.text for one, two in pairs}
    found = [one for one in played if one.tool_calls and says(str(one.tool_calls[0]["content"]), others[one.row_index])]
    return bool(found) and len(found) >= MOSTLY * len(played)


def _finding(tool: dict[str, object], nonsense: str, told: Sequence[Episode], known: Sequence[Gold]) -> Finding:
    one = told[0]
    reply = str(one.tool_calls[0]["content"])
    text = next(gold.text for gold in known if gold.row == one.row_index)
    return Finding(
        f"{name_of(tool)} shows what gold answers, and no answer of another row, whatever it is asked: "
        f"{quoted(nonsense)} finds {quoted(text)} in {quoted(reply, 120)}, on {len(told)} of {len(known)} rows.",
        "List what the query finds, and nothing for a query that finds nothing.",
        row=one.row_index, input=own_turns(one.completion), output=reply, expected=f"a reply without {text!r}",
    )  # fmt: skip
