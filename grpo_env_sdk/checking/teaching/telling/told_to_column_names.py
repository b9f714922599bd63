"""Whether the name of the column with the answer is answered with its value, as by a calculator that knows the row."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.telling.told_to_keys import told_to_keys
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, TASTED, MOSTLY, FEWEST_VALUES, MOST_WAYS, MOST_WORDS = 10, 2, 0.8, 3, 8, 4
PRODUCTS = {"17 * 23": "391", "(31 + 4) * 19": "665"}
"""What a calculator works out."""
UNKNOWN = "zephyr"
"""A name that no row has."""
_KEPT = regex(rf"{KEPT_FOR_THE_SCORER.pattern}|(?<![^\W_])(?:results?|truth|reference)(?![^\W_])", re.IGNORECASE)
_NUMBER = regex(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_COMMAND = regex(r"[`'\"](/?[A-Za-z]+:? |<\w+>)[^`'\"\n]+[`'\"]")
"""A command with what is given to it, in quotes."""
Way = tuple[str, str, str]
"""The tool and its parameter, or nothing and what is before the name, and how the name is written."""


@check("G640", kinds=("tools", "multi-turn"))
def columns_cannot_be_asked_for(subject: Subject) -> Iterator[Finding]:
    """The name of a column, or of a value inside one, that has the answer is not answered with the answer."""
    of_columns = list(_told_to_columns(subject))
    yield from of_columns or told_to_keys(subject)


def _told_to_columns(subject: Subject) -> Iterator[Finding]:
    """The finding that the name of a column is answered with gold's answer."""
    known = [gold for gold in some_golds(subject) if gold.text][:MOST_ROWS]
    wanted = _answers(known)
    if len(known) < FEWEST_ROWS or len(set(wanted.values())) < FEWEST_VALUES:
        return
    for column in _columns_with(subject, wanted):
        for way in _ways(subject, known, column):
            if not _KEPT.search(column) and not _works_out(subject, known[0], way):
                continue
            if not _told(subject, known[:TASTED], wanted, column, way):
                continue
            told = _told(subject, known, wanted, column, way)
            if len(told) >= max(FEWEST_ROWS, MOSTLY * len(known)):
                yield _finding(told[0], column, len(told), len(known), subject)
                return


def _answers(known: Sequence[Gold]) -> dict[int, str]:
    """What gold answers on each row, without the words that all answers have; numbers are whole."""
    form = form_of([gold.text for gold in known])
    numbers = all(_NUMBER.fullmatch(gold.text.strip()) for gold in known)
    return {gold.row: bare(gold.text if numbers else without_form(gold.text, form)) for gold in known}


def _columns_with(subject: Subject, wanted: Mapping[int, str]) -> list[str]:
    """The columns that have gold's answer and are named nowhere as something to ask for, those kept for it first."""
    shown = [prompt_text(subject, row) for row in wanted]
    found = [
        name for name in subject.rows.columns
        if name.isidentifier()
        and not any(re.search(rf"[`'\"]{re.escape(name)}[`'\"]", text) for text in shown)
        and sum(_is_same(str(subject.row(row).get(name)), said) for row, said in wanted.items())
        >= MOSTLY * len(wanted)
    ]  # fmt: skip
    return sorted(found, key=lambda name: not _KEPT.search(name))


def _is_same(value: str, said: str) -> bool:
    """Whether a value is what gold says, or the same number."""
    numbers = [one for one in (value, said) if _NUMBER.fullmatch(one)]
    return bare(value) == said or (len(numbers) == 2 and float(value) == float(said))


def _has(text: str, answer: str) -> bool:
    """Whether a text says an answer, or a number that is the same."""
    return says(text, answer) or any(_is_same(number, answer) for number in _NUMBER.findall(text))


def _works_out(subject: Subject, gold: Gold, way: Way) -> bool:
    """Whether a product is answered with its value, so that what is asked for need not be the name of something."""
    asked = play_answers(subject, [(gold.row, [_ask(way, product), gold.turns[-1]]) for product in PRODUCTS])
    replies = list(map(reply_to, asked))
    return len(replies) == len(PRODUCTS) and all(
        says(reply, value) and product not in reply
        for reply, (product, value) in zip(replies, PRODUCTS.items(), strict=True)
    )


def _ways(subject: Subject, known: Sequence[Gold], column: str) -> list[Way]:
    """The tools that do not name the column and take a text alone, and the messages that a name can be given in."""
    found: dict[Way, None] = {}
    for tool in (tool for tool in subject.tools if may_only_look(tool) and not says(canonical_json(tool), column)):
        texts = [key for key in required_of(tool) if properties_of(tool).get(key, {}).get("type") == "string"]
        if len(texts) == len(required_of(tool)) == 1 and "enum" not in properties_of(tool)[texts[0]]:
            found |= dict.fromkeys((name_of(tool), texts[0], form) for form in ("{}", "{{{}}}"))
    if subject.traits.kind == "multi-turn":
        said = [str(turn.get("content") or "") for gold in known for turn in gold.turns[:-1]]
        of_gold = [text[: text.index(" ") + 1] for text in said if " " in text]
        quoted_ones = _COMMAND.findall(prompt_text(subject, known[0].row))
        frames = dict.fromkeys([form_of(said)[0], *of_gold[:2], *quoted_ones, ""])
        found |= dict.fromkeys(("", frame, form) for form in ("{}", "{{{}}}") for frame in frames)
    return list(found)[:MOST_WAYS]


def _ask(way: Way, name: str) -> Message:
    tool, where, form = way
    text = form.format(name)
    return call_message(tool, **{where: text}) if tool else {"role": "assistant", "content": f"{where}{text}"}


def _told(subject: Subject, known: Sequence[Gold], wanted: Mapping[int, str], column: str, way: Way) -> list[Episode]:
    """The episodes of this question and gold's last message that score as gold, where only this tells the answer."""
    played = play_answers(subject, [(gold.row, [_ask(way, column), gold.turns[-1]]) for gold in known])
    others = play_answers(subject, [(gold.row, [_ask(way, UNKNOWN), gold.turns[-1]]) for gold in known])
    return [
        one for one, other, gold in zip(played, others, known, strict=False)
        if _is_told(subject, one, wanted[gold.row]) and not _has(reply_to(other), wanted[gold.row])
        and not any(says(turns_text([turn]), column) for turn in gold.turns[:-1])
        and as_good_as_gold(subject, one)
    ]  # fmt: skip


def _is_told(subject: Subject, episode: Episode, answer: str) -> bool:
    """Whether the reply to the question is the answer and hardly anything else, and the prompt does not have it."""
    reply = reply_to(episode)
    own = words_of(reply) - words_of(answer)
    return _has(reply, answer) and len(own) <= MOST_WORDS and not _has(prompt_text(subject, episode.row_index), answer)


def _finding(episode: Episode, column: str, rows: int, of: int, subject: Subject) -> Finding:
    turns = own_turns(episode.completion)
    return Finding(
        f"The name of the column {column!r} is answered with the answer, on {rows} of {of} rows: "
        f"{turns_text(turns[:1])} gets {quoted(reply_to(episode))}, and gold's last message after it scores "
        f"{episode.reward:g}.",
        "Give what evaluates a message or an argument only the values that the model may use, not the whole row.",
        episode.row_index, turns, episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip
