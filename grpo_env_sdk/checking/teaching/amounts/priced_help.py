"""Whether help that has a price is charged only where its word is the whole message."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    as_good_as_gold,
    golds,
    less_than_gold,
    play_answers,
    reward_of,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import answered_alike, prompt_text, reply_to
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import commands_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.help_that_pays import HELP
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_WORDS, TASTED = 8, 2
NONSENSE = "qua"
_QUOTED = regex(r"[`\"'\u201c\u201e]([^\W\d_]{3,15})[`\"'\u201d\u201c]")
WRITTEN = ("{}.", "{}!", "A {}, please.", "Please give me a {}.")


@check("G693", kinds=("multi-turn",), needs=("acts",))
def help_has_its_price_however_it_is_asked_for(subject: Subject) -> Iterator[Finding]:
    """Help that costs something costs as much with a full stop, in capitals or in a sentence."""
    known = [gold for gold in some_golds(subject) if len(gold.turns) < subject.traits.max_turns]
    if len(known) < FEWEST_ROWS:
        return
    for word in _words(prompt_text(subject, known[0].row)):
        if not all(_priced(subject, gold, word) for gold in known[:TASTED]):
            continue
        for message in dict.fromkeys([word.upper(), word.capitalize(), *(form.format(word) for form in WRITTEN)]):
            if message == word or not all(_for_nothing(subject, gold, word, message) for gold in known[:TASTED]):
                continue
            free = [one for gold in known if (one := _for_nothing(subject, gold, word, message))]
            if len(free) >= FEWEST_ROWS and 2 * len(free) > len(known):
                yield _finding(subject, word, message, free)
                return


def _words(prompt: str) -> list[str]:
    """The words of a prompt that may ask for help: those for help, quoted ones and commands."""
    commands = [one for one in commands_of(prompt) if one.isalpha()]
    named = [*(one.lower() for one in HELP.findall(prompt)), *_QUOTED.findall(prompt), *commands]
    return list(dict.fromkeys(named))[:MOST_WORDS]


def _before(subject: Subject, gold: Gold, *messages: str) -> list[Episode]:
    """Gold after each of these messages; empty where one of the episodes fails."""
    played = play_answers(subject, [(gold.row, [message, *gold.turns]) for message in messages])
    return played if len(played) == len(messages) and not any(one.error for one in played) else []


def _priced(subject: Subject, gold: Gold, word: str) -> bool:
    """Whether a word is answered, otherwise than nonsense, and gold after it scores less."""
    played = _before(subject, gold, word, NONSENSE)
    if not played:
        return False
    told, nothing = (reply_to(one) for one in played)
    return told.strip() not in ("", nothing.strip()) and reward_of(played[0]) < gold.reward - NEARLY


def _for_nothing(subject: Subject, gold: Gold, word: str, message: str) -> Episode | None:
    """The episode in which a message is answered as a word with a price is, and costs nothing."""
    if not _priced(subject, gold, word):
        return None
    priced, free = _before(subject, gold, word, message) or (None, None)
    same = priced is not None and free is not None and answered_alike(priced, free)
    return free if same and free is not None and as_good_as_gold(subject, free) else None


def _finding(subject: Subject, word: str, message: str, free: Sequence[Episode]) -> Finding:
    first = free[0]
    priced = _before(subject, golds(subject)[first.row_index], word)[0]
    return Finding(
        f"{quoted(message)} is answered as {quoted(word)} is, with {quoted(reply_to(first))}, and gold after it scores "
        f"{first.reward:g}, but {priced.reward:g} after {quoted(word)}, on {len(free)} rows: the price depends on the "
        "exact message.",
        "Count the help where it is given, in `step`, and not by searching the messages for its word.",
        first.row_index, own_turns(first.completion), first.reward, less_than_gold(subject, first),
    )  # fmt: skip
