"""Whether the scorer distinguishes a label from one that contains it, such as `non-compliant` from `compliant`."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds, play_scored, too_good, won_of
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, seldom_won
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

MOST_LABELS, MOST_ROWS, OF_EACH, NEARLY_ALL = 12, 10, 2, 0.9
"""How many labels there are at most; on how many rows others are tried; on how many each is gold in the mean; and the
share of golds that have a label in one place."""
_PARTS = regex(
    r'"(\w+)"\s*:\s*"([^"\n]*)"|<(\w+)>([^<>\n]*)</\3>|^\W{0,3}([^\W\d_][\w ]{0,20}):[ \t*]*(\S.*?)\W*$', re.MULTILINE
)
"""A field of an object, a tag, or a line with a name, and what it says."""
_SEVERAL = regex(r"[,;/|+&]|\b(?:and|or|und|oder|et|ou|y|o)\b", re.IGNORECASE)
"""What is between labels where one text names several."""


@check("G673", needs=("gold",))
def a_label_is_distinguished_from_longer_ones(subject: Subject) -> Iterator[Finding]:
    """A label that holds the one of gold as a piece of it, or is a piece of it, scores less than gold."""
    for choices in [*choices_of(subject).values(), *_places(list(golds(subject).values()))]:
        labels = Counter(bare(str(choice.value)) for choice in choices)
        if not 2 <= len(labels) <= MOST_LABELS or len(choices) < OF_EACH * len(labels) or not all(map(_is_one, labels)):
            continue
        by_label = {label: [one for one in choices if bare(str(one.value)) == label] for label in labels}
        for own, other in permutations(labels, 2):
            if (own in other or other in own) and (found := _paid(subject, by_label, own, other)):
                yield found
                return


def _places(known: Sequence[Gold]) -> Iterator[list[Choice]]:
    """What golds say in one place of their last text: in a part with a name, or in the last line."""
    texts = [gold for gold in known if gold.text and not gold.turns[-1].get("tool_calls")]
    named: dict[str, list[Choice]] = defaultdict(list)
    for gold in texts:
        parts = {(found[1] or found[3] or found[5]).casefold(): found for found in _PARTS.finditer(gold.text)}
        for name, found in parts.items():
            begins, ends = next(found.span(place) for place in (2, 4, 6) if found[place] is not None)
            named[name].append(_choice(gold, begins, ends))
    form = form_of([gold.text.rstrip().rpartition("\n")[2] for gold in texts])
    last = []
    for gold in texts:
        text = gold.text.rstrip()
        core = without_form(text.rpartition("\n")[2], form)
        ends = len(text) - len(form[1])
        last.append(_choice(gold, ends - len(core), ends))
    yield from (choices for choices in [*named.values(), last] if len(choices) >= NEARLY_ALL * len(texts))


def _choice(gold: Gold, begins: int, ends: int) -> Choice:
    text = gold.text
    return Choice(gold, len(gold.turns) - 1, 0, "", text[begins:ends], (text[:begins], text[ends:]))


def _is_one(label: str) -> bool:
    """Whether a text is one label in words."""
    return re.search(r"[^\W\d_]{2}", label) is not None and len(label) <= 40 and not _SEVERAL.search(label)


def _offers(subject: Subject, choice: Choice, own: str, other: str) -> bool:
    """Whether the prompt of a row, or a tool, names both labels, the short one also apart from the long one."""
    short, long = sorted((own, other), key=len)
    shown = f"{prompt_text(subject, choice.gold.row)} {subject.tools}".casefold()
    return has_word(shown, long) and has_word(shown.replace(long, " "), short)


def _paid(subject: Subject, by_label: Mapping[str, Sequence[Choice]], own: str, other: str) -> Finding | None:
    """The finding that another label is as good as gold on most rows, and a third one, or gold on its rows, is not."""
    rows = [one for one in by_label[own] if _offers(subject, one, own, other)][:MOST_ROWS]
    if len(rows) < FEWEST_ROWS:
        return None
    third = next((one for one in by_label if not any(one in known or known in one for known in (own, other))), None)
    played, against = (
        play_scored(subject, [(one.gold.row, one.turns(by_label[label][0].value)) for one in tried])
        for label, tried in ((other, rows), (third or own, rows if third else by_label[other][:MOST_ROWS]))
    )
    won = won_of(subject, played)
    if not as_good_on_most(subject, won, len(played)) or not seldom_won(subject, against):
        return None
    return Finding(
        f"The label {quoted(other)}, {'which holds gold' if own in other else 'a piece of gold'}, scores as much as "
        f"gold on {len(won)} of {len(played)} rows whose gold is {quoted(own)}: {won[0].reward:g}.",
        "Compare the whole label, with == and not with `in`, endswith, startswith or a search for a part of it.",
        *too_good(subject, won[0]),
    )  # fmt: skip
