"""Whether what a simulated user asks for is what is scored, and not what the user of another row asks for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Act, last_acts
from grpo_env_sdk.checking.evidence.tool_use.dialogs import dialogs, told_by_user
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, SHARE, FEWEST_LETTERS = 8, 0.5, 3


@dataclass(frozen=True, slots=True)
class Heard:
    """A call of gold, and the call with what the user asked for, which is gold of another row."""

    act: Act
    wanted: Mapping[str, Any]
    said: str

    def turns(self) -> list[Message]:
        """Gold with this call in place of its own."""
        return self.act.instead(**self.wanted)


@check("G650", kinds=("tools",), needs=("gold",))
def what_users_ask_for_is_scored(subject: Subject) -> Iterator[Finding]:
    """A call with what the user asked for scores as gold does, where nobody told what gold has instead."""
    if subject.traits.user != "method":
        return
    for name, acts in last_acts(subject).items():
        if len(acts) < FEWEST_ROWS:
            continue
        tried = acts[:MOST_ROWS]
        heard = [one for act in tried if (one := _heard(subject, act, acts))]
        if len(heard) < max(FEWEST_ROWS, SHARE * len(tried)):
            continue
        played = play_answers(subject, [(one.act.gold.row, one.turns()) for one in heard])
        lost = [
            (one, episode) for one, episode in zip(heard, played, strict=False)
            if was_scored(episode) and not as_good_as_gold(subject, episode)
        ]  # fmt: skip
        if len(lost) >= max(FEWEST_ROWS, SHARE * len(tried)):
            yield _finding(subject, name, *lost[0], len(lost), len(tried))
            return


def _heard(subject: Subject, act: Act, acts: list[Act]) -> Heard | None:
    """What the user asked for, where only one other gold has all of it, and nobody told what gold has."""
    row = act.gold.row
    played = dialogs(subject, row)
    by_user = [text for one in played for text in told_by_user(one)]
    told = "\n".join(
        [prompt_text(subject, row), canonical_json(subject.tools_of(row)), *by_user, *_replies(played, act)]
    )
    found: dict[str, Heard] = {}
    for other in acts:
        differ = {key: value for key, value in other.arguments.items() if act.arguments.get(key) != value}
        own = [act.arguments[key] for key in differ if key in act.arguments]
        if not differ or len(own) < len(differ) or any(says(told, str(one)) for one in own):
            continue
        said = next((text for text in by_user if all(says(text, str(value)) for value in differ.values())), "")
        if said and any(_is_word(value) for value in differ.values()):
            found[canonical_json(differ)] = Heard(act, differ, said)
    return next(iter(found.values())) if len(found) == 1 else None


def _replies(played: list[Episode], act: Act) -> list[str]:
    """What other tools replied; the own one may repeat what it was given."""
    return [str(call["content"]) for one in played for call in one.tool_calls if call["name"] != act.name]


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= FEWEST_LETTERS and any(map(str.isalpha, value))


def _finding(subject: Subject, name: str, one: Heard, episode: Episode, rows: int, of: int) -> Finding:
    own = {key: one.act.arguments[key] for key in one.wanted}
    return Finding(
        f"On {rows} of {of} rows what the user asks for loses, and is gold of another row: in row "
        f"{one.act.gold.row} the user says {quoted(one.said, 90)}, and {name} with that scores {episode.reward:g}, "
        f"while gold has {canonical_json(own)}, which nobody tells.",
        "Let the user and the scorer read the same columns of the row, in the same order.",
        one.act.gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip
