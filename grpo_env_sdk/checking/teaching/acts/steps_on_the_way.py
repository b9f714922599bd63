"""Whether the acts on the way are needed, where the prompt has rules for the way."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, places_of_acts, scripts_of
from grpo_env_sdk.checking.evidence.golds import play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid, seldom_won
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, FEWEST_LEFT_OUT, MOST_VERBS, NEARLY_ALL = 4, 2, 3, 0.9
"""On how many rows it is tried first, how many acts are left out at least, those of how many verbs, and how many
other prompts may name the thing that gold ends with."""
_WAY = regex(
    r"\block(?:ed|s)?\b|\balong (?:the |a )?\w+|\badjacent\b|\bneighbou?r\w*|\bnext to\b|\bone \w+ at a time\b|"
    r"\bconnect\w*|\bwalls?\b|\b(?:in|at) the same \w+|\bwhere you (?:are|stand)\b|\bwithin reach\b|\bon top of\b|"
    r"\b(?:only|first|before|until|unless|without|needs?|requires?)\b",
    re.IGNORECASE,
)
_OF_THE_WAY = regex(
    r"\b(?:go(?:ing|es)?|walk\w*|driv(?:e|es|ing)|mov(?:e|es|ing|ed)|rid(?:e|es|ing)|travel\w*|fly|flies|sail\w*|roads?|"
    r"routes?|rails?|lines?|doors?|rooms?|keys?|vault|gate|floors?|cells?|squares?|fields?|steps?|stand\w*|carry|"
    r"carries|carrying|hold\w*|pick\w*|stack\w*|blocks?|clear|reach\w*|climb\w*|cross\w*)\b",
    re.IGNORECASE,
)
"""What a sentence says that has a rule, and that speaks of a way, of doors, or of things that are held."""
_FREE = regex(
    r"\b(?:directly|straight|at once|any (?:order|room|city|place|floor)|shortcut|jump|teleport)\b", re.IGNORECASE
)
_LOOKS = regex(
    r"^(?:look|examine|inspect|read|inventory|ask|talk|listen|search|check|scan|test|guess|try|probe|wait|is|are|do|"
    r"does|what|where|which|who|how|say)\b",
    re.IGNORECASE,
)
"""Acts that find something out, and that a model which knows gold does not need."""
Shortened = tuple[Script, list[Step]]


@check("G664", kinds=("tools", "multi-turn"), needs=("acts",))
def what_is_on_the_way_is_needed(subject: Subject) -> Iterator[Finding]:
    """Gold that leaves out its way, and only does what it ends with, scores less, where a rule is about the way."""
    known = [one for one in scripts_of(subject) if _rule(subject, one) and _is_told(subject, one)]
    if len(known) < FEWEST_ROWS:
        return
    for how, tried in _ways(subject, known).items():
        if len(tried) < FEWEST_ROWS or len(_won(subject, tried[:TASTED])) < TASTED / 2:
            continue
        won = _won(subject, tried)
        if as_good_on_most(subject, won, len(tried)) and not _end_is_free(subject, [one for one, _ in tried]):
            one = next(script for script, _ in tried if script.gold.row == won[0].row_index)
            yield paid(
                subject, won, len(tried), f"Gold {how}, although {quoted(_rule(subject, one), 140)} is a rule,",
                "Check each act from where the ones before it have led: refuse it where its place, its key or what it "
                "needs is missing.",
            )  # fmt: skip
            return


def _rule(subject: Subject, script: Script) -> str:
    """The first sentence of the prompt or of a tool's description that has a rule for the way; empty without one."""
    described = [description_of(tool) for tool in subject.tools]
    texts = [prompt_text(subject, script.gold.row), *described]
    if any(map(_FREE.search, texts)):
        return ""
    found = (sentence.strip() for text in texts for sentence in sentences_of(text))
    return next((one for one in found if _WAY.search(one) and _OF_THE_WAY.search(one)), "")


def _is_told(subject: Subject, script: Script) -> bool:
    """Whether its prompt says what gold ends with, and most others do not: else it is found out on the way."""
    ends = [_acts(subject, one)[-1] for one in scripts_of(subject) if _acts(subject, one)]
    own = _acts(subject, script)
    if not own or len({end.shown for end in ends}) == 1:
        return bool(own)
    last = own[-1].object or own[-1].verb
    others = [one.gold.row for one in scripts_of(subject) if one.gold.row != script.gold.row]
    naming = [row for row in others if _names(subject, row, last)]
    return _names(subject, script.gold.row, last) and len(naming) <= NEARLY_ALL * len(others)


def _names(subject: Subject, row: int, last: str) -> bool:
    """Whether a prompt has every word of what gold ends with."""
    prompt = prompt_text(subject, row)
    return all(says(prompt, word) for word in last.split())


def _acts(subject: Subject, script: Script) -> list[Step]:
    """The acts of gold that change something."""
    steps = [script.steps[place] for place in places_of_acts(subject, script)]
    return [step for step in steps if not _LOOKS.match(step.verb.replace("_", " "))]


def _ways(subject: Subject, known: Sequence[Script]) -> dict[str, list[Shortened]]:
    """Gold with its last act alone, and gold without the acts of a verb, or with the last of them, by what that is."""
    found: dict[str, list[Shortened]] = {}
    for one in known:
        acts = _acts(subject, one)
        verbs = list(dict.fromkeys(step.verb for step in acts))[:MOST_VERBS]
        left_out = {"with its last act alone": acts[:-1]}
        for verb in verbs:
            of_verb = [step for step in acts if step.verb == verb]
            left_out[f"whose only {verb} is the last one"] = of_verb[:-1]
            left_out[f"without any {verb}"] = of_verb if of_verb[-1] is not acts[-1] else []
        for how, steps in left_out.items():
            if len(steps) >= FEWEST_LEFT_OUT and not _tell_what_is_used(subject, one, steps):
                gone = set(map(id, steps))
                found.setdefault(how, []).append((one, [step for step in one.steps if id(step) not in gone]))
    return found


def _tell_what_is_used(subject: Subject, script: Script, steps: Sequence[Step]) -> bool:
    """Whether replies have words that gold uses later, and that its prompt and these acts do not have."""
    gone = set(map(id, steps))
    kept = set().union(*(words_of(step.object) for step in _acts(subject, script) if id(step) not in gone))
    known = words_of(prompt_text(subject, script.gold.row)) | set().union(*(words_of(step.shown) for step in steps))
    replies = replies_to_gold(subject, script.gold.row)
    return bool((kept & words_of(" ".join(replies))) - known)


def _end_is_free(subject: Subject, scripts: Sequence[Script]) -> bool:
    """Whether gold without its last act is as good: then it is not what is done at the end that pays."""
    tried = []
    for one in scripts:
        last = _acts(subject, one)[-1]
        if kept := [step for step in one.steps if step is not last]:
            tried.append((one, kept))
    return not seldom_won(subject, play_compared(subject, answers_of(tried)))


def _won(subject: Subject, tried: Sequence[Shortened]) -> list[Episode]:
    return won_of(subject, play_scored(subject, answers_of(tried)))
