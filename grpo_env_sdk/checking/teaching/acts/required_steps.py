"""Whether what a task requires is needed: the change itself, and what has to be done or asked before it."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.omissions import Omission, omissions
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, scripts_of
from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, tool_named
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES, only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

TASTED = 4
_RULE = regex(
    r"\b(?:before|first|until|unless|prior to|only (?:after|once|if|when|with)|without|must|always|have to|need to)\b",
    re.IGNORECASE,
)
_DONE_BEFORE = regex(
    r"verif|authent|identi|confirm|consent|permission|approv|back ?up|agree|\bpin\b|password|lock|validat|"
    r"sign(?:ed)? in|log(?:ged)? in|\bask",
    re.IGNORECASE,
)
"""What a rule may require before a change, and not only as its result is needed."""
_ASKED = regex(r"confirm|consent|permission|approv|agree|\bask|\byes\b", re.IGNORECASE)
Change = Callable[[Sequence[Step], int, int], list[Step]]


@check("G582", kinds=("tools",), needs=("calls", "acts"))
def the_change_itself_is_needed(subject: Subject) -> Iterator[Finding]:
    """Gold without the call that makes the change that its prompt asks for scores less."""
    changing = {name_of(tool) for tool in subject.tools if CHANGES.match(name_of(tool)) and not only_looks(tool)}
    for name, items in omissions(subject).items():
        asked = [one for one in items if name in changing and _asks_for(subject, name, one) and not _tells(one)]
        won = [one.episode for one in asked if one.paid and not one.episode.error]
        if len(asked) >= FEWEST_ROWS and as_good_on_most(subject, won, len(asked)):
            yield paid(
                subject, won, len(asked), f"Gold without its calls of {name}, for which the prompt asks,",
                f"Score what {name} changes, and not what the model says of it.",
            )  # fmt: skip
            return


def _asks_for(subject: Subject, name: str, item: Omission) -> bool:
    """Whether the prompt has a word of the tool's name, and it is no tool to take notes."""
    prompt = prompt_text(subject, item.gold.row_index)
    words = [word for word in re.split(r"[_\W]+", name) if len(word) > 2]
    return not FOR_READERS.search(name) and any(re.search(rf"\b{word[:5]}", prompt, re.IGNORECASE) for word in words)


def _tells(item: Omission) -> bool:
    """Whether the tool's replies have words that gold says or uses later, so that the call looks something up."""
    told: set[str] = set()
    for call in item.gold.tool_calls:
        if call["name"] == item.tool:
            told |= words_of(str(call["content"])) - words_of(canonical_json(call["arguments"]))
    return bool((told & words_of(item.text)) - _words_before(item))


def _words_before(item: Omission) -> set[str]:
    """The words of the prompt and of other replies."""
    texts = [str(one.get("content")) for one in item.gold.messages if one["role"] in ("system", "user")]
    texts += [str(call["content"]) for call in item.gold.tool_calls if call["name"] != item.tool]
    return set().union(*map(words_of, texts))


@check("G583", kinds=("tools", "multi-turn"), needs=("calls", "acts"))
def what_comes_first_comes_first(subject: Subject) -> Iterator[Finding]:
    """Gold that leaves out what a rule of the prompt requires before a change, or does it afterwards, scores less."""
    known = [one for one in scripts_of(subject) if _rules(subject, one)]
    for change, how in _CHANGES.items():
        tried = [
            (one, change(one.steps, before, after), rule)
            for one in known
            for before, after, rule in _required(subject, one)[:1]
        ]  # fmt: skip
        if len(tried) < FEWEST_ROWS or not _won(subject, tried[:TASTED]):
            continue
        won = _won(subject, tried)
        if as_good_on_most(subject, won, len(tried)):
            one, _, rule = next(item for item in tried if item[0].gold.row == won[0].row_index)
            before, after, _ = _required(subject, one)[0]
            first, second = (one.steps[place].verb or "the question" for place in (before, after))
            yield paid(
                subject, won, len(tried),
                f"Gold {how.format(first, second)}, although {quoted(rule, 140)} is a rule,",
                "Score the order as well: note what was done when, and give nothing for a change that came too early.",
            )  # fmt: skip
            return


def _left_out(steps: Sequence[Step], before: int, after: int) -> list[Step]:
    return [*steps[:before], *steps[before + 1 :]]


def _turned(steps: Sequence[Step], before: int, after: int) -> list[Step]:
    return [*steps[:before], steps[after], *steps[before:after], *steps[after + 1 :]]


_CHANGES: dict[Change, str] = {_left_out: "without {}", _turned: "with {1} before {0}"}


def _rules(subject: Subject, script: Script) -> list[str]:
    """The sentences of the prompt and of the tools' descriptions that say what comes before something else."""
    texts = [prompt_text(subject, script.gold.row), *map(description_of, subject.tools)]
    found = (sentence.strip() for text in texts for sentence in sentences_of(text))
    return [one for one in found if _RULE.search(one) and _DONE_BEFORE.search(one)]


def _required(subject: Subject, script: Script) -> list[tuple[int, int, str]]:
    """The places of a step that a rule requires, and of the change after it, with the rule."""
    changes = [place for place, step in enumerate(script.steps) if step.verb and _changes(subject, step.verb)]
    found = []
    for rule in _rules(subject, script):
        for place, step in enumerate(script.steps):
            after = next((one for one in changes if one > place), None)
            if after is not None and place not in changes and _is_meant(step, rule):
                found.append((place, after, rule))
    return [one for one in found if script.steps[one[0]].verb or not _tells_what_is_used(subject, script, one[0])]


def _tells_what_is_used(subject: Subject, script: Script, place: int) -> bool:
    """Whether the reply to a question has words, new and of this row, that gold says later or a tool shows then."""
    episode = gold_episodes(subject)[script.gold.row].completion
    own = places_of_turns(episode)
    until, end = own[place], own[place + 1] if place + 1 < len(own) else len(episode)
    before = words_of(" ".join([prompt_text(subject, script.gold.row), *texts_of(episode[:until])]))
    told = words_of(" ".join(texts_of(episode[until + 1 : end]))) - before
    shown = words_of(" ".join(texts_of([one for one in episode[end:] if one["role"] == "tool"])))
    return bool(told & (shown - _told_everywhere(subject))) or any(
        told & words_of(step.object) for step in script.steps[place + 1 :]
    )


def _told_everywhere(subject: Subject) -> set[str]:
    """The words that users say on all rows."""
    said = [
        words_of(" ".join(texts_of([one for one in episode.completion if one["role"] == "user"])))
        for episode in gold_episodes(subject).values()
    ]
    return set.intersection(*said) if said else set()


def _is_meant(step: Step, rule: str) -> bool:
    """Whether a rule speaks of this step: a tool with a word of the rule in its name, or a question to the user."""
    if not step.verb:
        return "?" in step.object and _ASKED.search(rule) is not None
    words = {found.group().lower()[:5] for found in _DONE_BEFORE.finditer(rule)}
    return any(word in step.verb.lower().replace("_", " ") for word in words)


def _changes(subject: Subject, name: str) -> bool:
    tool = tool_named(subject.tools, name)
    required = _DONE_BEFORE.search(name.replace("_", " "))
    return tool is not None and not only_looks(tool) and not required


def _won(subject: Subject, tried: Sequence[tuple[Script, list[Step], str]]) -> list[Episode]:
    answers = answers_of((one, steps) for one, steps, _ in tried)
    return won_of(subject, [one for one in play_answers(subject, answers) if not one.error])
