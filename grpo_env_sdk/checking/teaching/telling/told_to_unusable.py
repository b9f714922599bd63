"""Whether the reply to a message or call that a game cannot use shows a hidden value of the row, which then pays."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, acts_of, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.shown_secret import named_values
from grpo_env_sdk.checking.teaching.telling.told_to_nonsense import GAME
from grpo_env_sdk.data.messages import assistant_message, call_message, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_ROWS, MOSTLY, FEWEST_VALUES, MOST_CHARS, MANY_TURNS = 3, 10, 0.75, 3, 40, 3
UNUSABLE = ("", "zz", "lorem ipsum", "?!", "7")
AGAIN = "\0again"
"""What stands for the first act of gold, done twice: what was accepted before."""
_REFUSES = regex(
    r"\b(?:cannot|can't|could not|not|only|please|must|unknown|already|use|usage|again|unclear|instead|nicht|nur|"
    r"bitte|schon|solo|ya|déjà|pas)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Means:
    """How acts are written: as texts, or as calls of a tool with one text."""

    tool: str = ""
    parameter: str = ""

    def of(self, text: str) -> Message:
        """The act that says a text."""
        return call_message(self.tool, **{self.parameter: text}) if self.tool else assistant_message(text)


@dataclass(frozen=True, slots=True)
class Slip:
    """A hidden value of a row in the reply to something unusable, and the acts until then."""

    gold: Gold
    value: str
    acts: tuple[Message, ...]
    reply: str


def told_to_unusable(subject: Subject) -> Iterator[Finding]:
    """The finding that an unusable message is answered with a value of the row that scores as gold when it is next."""
    known = [gold for gold in some_golds(subject)[:MOST_ROWS] if _hidden(subject, gold)]
    if len(known) < FEWEST_ROWS:
        return
    for means in _means(subject, known):
        for said in (*UNUSABLE, AGAIN):
            slips = _slips(subject, known[:TASTED], means, said)
            if len(slips) == TASTED:
                slips = _slips(subject, known, means, said)
            if len(slips) < MOSTLY * len(known) or len({one.value for one in slips}) < FEWEST_VALUES:
                continue
            won = _won(subject, slips, means)
            if len(won) >= max(FEWEST_ROWS, MOSTLY * len(slips)):
                yield _finding(slips, won, len(known))
                return


def _hidden(subject: Subject, gold: Gold) -> list[str]:
    """The short values of a row that neither its prompt nor a reply to gold shows before its last act."""
    return subject.once(("teaching", "hidden values", gold.row), lambda: _found_hidden(subject, gold))


def _found_hidden(subject: Subject, gold: Gold) -> list[str]:
    columns = {name: value for name, value in subject.row(gold.row).items() if name not in ("prompt", "case_idx")}
    values = [str(value) for _, value in named_values(columns) if isinstance(value, str | int)]
    completion = gold_episodes(subject)[gold.row].completion
    own = places_of_turns(completion)
    last = max([place for place in own if completion[place].get("tool_calls")], default=own[-1])
    replies = texts_of([one for one in completion[:last] if one["role"] != "assistant"])
    shown = " ".join([prompt_text(subject, gold.row), *replies])
    return [value for value in dict.fromkeys(values) if 2 < len(value) <= MOST_CHARS and not says(shown, value)]


def _means(subject: Subject, golds: Sequence[Gold]) -> Iterator[Means]:
    """Texts, where gold says them in a game; and the tools with one text that gold calls."""
    called = {name for gold in golds for name, _ in gold.calls}
    if subject.traits.kind == "multi-turn" and not called:
        yield Means()
    for tool in subject.tools:
        needed = required_of(tool)
        if name_of(tool) in called and len(needed) == 1:
            schema = properties_of(tool)[needed[0]]
            if schema.get("type") == "string" and "enum" not in schema:
                yield Means(name_of(tool), needed[0])


def _slips(subject: Subject, golds: Sequence[Gold], means: Means, said: str) -> list[Slip]:
    """By row, the hidden value that the reply shows, without those of other rows."""
    tried = [(gold, acts) for gold in golds if (acts := _acts(gold, means, said))]
    played = play_answers(subject, [(gold.row, [*acts, ""]) for gold, acts in tried])
    found = []
    for (gold, acts), episode in zip(tried, played, strict=False):
        reply, own = _last_reply(episode, len(acts)), _hidden(subject, gold)
        shown = [value for value in own if says(reply, value)]
        others = {value for other in golds if other is not gold for value in _hidden(subject, other)} - set(own)
        if shown and not any(says(reply, other) for other in others) and _is_slip(subject, gold, reply, shown[0]):
            found.append(Slip(gold, shown[0], tuple(acts), reply))
    return found


def _acts(gold: Gold, means: Means, said: str) -> list[Message]:
    """The acts whose last one cannot be used."""
    if said != AGAIN:
        return [means.of(said)]
    first = acts_of(gold)[0]
    calls = first.get("tool_calls") or []
    is_meant = calls[0]["function"]["name"] == means.tool if calls else not means.tool
    return [first, first] if is_meant and len(gold.turns) > 1 else []


def _last_reply(episode: Episode, acts: int) -> str:
    """What the last of so many acts was answered with; nothing where the episode ended with it."""
    return "" if episode.error else reply_to(episode, acts - 1)


def _is_slip(subject: Subject, gold: Gold, reply: str, value: str) -> bool:
    """Whether a reply shows an object or record with the value, or refuses something where it has to be found out."""
    own = rf"[\"']?{re.escape(value)}(?!\w)"
    if re.search(rf"[\w\]][\"']?\s*=\s*{own}|\w[\"']\s*:\s*{own}", reply):
        return True
    refuses = _REFUSES.search(reply) or SAYS_WRONG.search(reply)
    return bool(refuses) and bool(len(acts_of(gold)) >= MANY_TURNS or GAME.search(prompt_text(subject, gold.row)))


def _won(subject: Subject, slips: Sequence[Slip], means: Means) -> list[Episode]:
    """The episodes that score as gold with what was shown, or with its letters, and not with that of another row."""
    if 3 * len(_paid(subject, slips, [*slips[1:], slips[0]], means)) > len(slips):
        return []
    won = _paid(subject, slips, slips, means)
    if len(won) >= MOSTLY * len(slips):
        return won
    spelt = [(one.gold.row, [*one.acts, *one.gold.turns]) for one in slips if _spells(one.gold, one.value)]
    return won_of(subject, play_answers(subject, spelt))


def _paid(subject: Subject, slips: Sequence[Slip], shown: Sequence[Slip], means: Means) -> list[Episode]:
    """The episodes that score as gold in which what was shown in these or other rows is said next."""
    end = [assistant_message("Done.")] if means.tool else []
    tried = [(one.gold.row, [*one.acts, means.of(other.value), *end]) for one, other in zip(slips, shown, strict=True)]
    return won_of(subject, play_answers(subject, tried))


def _spells(gold: Gold, value: str) -> bool:
    """Whether gold does nothing but say the letters of a value, one at a time."""
    said = [str(given) for _, arguments in gold.calls for given in arguments.values()]
    said = said or [str(turn.get("content") or "") for turn in gold.turns]
    return len(said) > 1 and {one.casefold() for one in said} == set(value.casefold())


def _finding(slips: Sequence[Slip], won: Sequence[Episode], of: int) -> Finding:
    one = next(one for one in slips if one.gold.row == won[0].row_index)
    where = max(0, one.reply.casefold().find(one.value.casefold()) - 30)
    what = "an act that was done before" if len(one.acts) > 1 else "a message or call that cannot be used"
    shown = quoted(one.reply[where : where + 80], 100)
    return Finding(
        f"The reply to {what} shows what the model has to find out, on {len(slips)} of {of} rows: "
        f"{quoted(one.value)} in {shown}, and with it {won[0].reward:g} is scored, as with gold.",
        "Say only that it cannot be used; print no object or row of the game into a reply.",
        one.gold.row, own_turns(won[0].completion), reward_with_parts(won[0]), f"a reply without {one.value!r}",
    )  # fmt: skip
