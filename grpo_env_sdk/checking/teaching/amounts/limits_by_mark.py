"""Whether questions that the prompt limits are counted without a question mark too, if they are answered."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, play_answers, was_scored
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import content_text, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_LIMIT = 3, 12
NONSENSE = "Lorem ipsum."
_LIMIT = regex(
    rf"\b(?:at most|no more than|not more than|up to|only|maximum(?: of)?|(?:may|can) ask|you have)"
    rf"(?: \w+)?? (\d{{1,2}}|{COUNT_WORDS})(?: \w+)?? questions?\b",
    re.IGNORECASE,
)
_SAYS_HOW = regex(r"\bquestion[- ]marks?\b|['\"`(]\?['\"`)]", re.IGNORECASE)
"""What a prompt says where only messages with a mark are questions."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A gold answer with its first question, and how many more of them are one too many."""

    gold: Gold
    place: int
    more: int

    @property
    def ways(self) -> list[str]:
        """The question, two forms of it without its mark, and what asks nothing."""
        marked = content_text(self.gold.turns[self.place]["content"]).strip()
        bare = marked.rstrip("?! ")
        return [marked, f"{bare}.", f"Please tell me: {bare}.", NONSENSE]

    def with_more(self, text: str) -> list[Message]:
        """Gold with this text before its first question, as often as is too many."""
        turns = self.gold.turns
        more: list[Message] = [{"role": "assistant", "content": text} for _ in range(self.more)]
        return [*turns[: self.place], *more, *turns[self.place :]]

    def replies(self, episode: Episode) -> list[str]:
        """What each of these texts is answered."""
        own = places_of_turns(episode.completion)[self.place : self.place + self.more + 1]
        return [
            "\n".join(content_text(one.get("content")) for one in episode.completion[start + 1 : end])
            for start, end in pairwise(own)
        ]


def limits_by_mark(subject: Subject) -> Iterator[Finding]:
    """The finding that more questions than are allowed count only where they end with a question mark."""
    asked = [one for gold in some_golds(subject) if (one := _asked(subject, gold))]
    won: list[Episode] = []
    for some in (asked[:TASTED], asked[TASTED:]):
        won += [episode for one in some if (episode := _uncounted(subject, one))]
        if not won:
            return
    if as_good_on_most(subject, won, len(asked)):
        yield paid(
            subject, won, len(asked),
            "Gold and more questions than the prompt allows, without a question mark and answered like those with one,",
            "Count whatever is answered, or each message, and not those alone that end with a question mark.",
        )  # fmt: skip


def _asked(subject: Subject, gold: Gold) -> _Asked | None:
    """The first question of gold where the prompt allows some, and there are turns for one too many."""
    prompt = prompt_text(subject, gold.row)
    said = ["" if turn.get("tool_calls") else content_text(turn.get("content")).strip() for turn in gold.turns]
    own = [place for place, text in enumerate(said) if text.endswith("?")]
    limit = _LIMIT.search(prompt)
    if not own or not limit or _SAYS_HOW.search(prompt):
        return None
    more = count_of(limit[1]) + 1 - len(own)
    fits = 0 < more <= MOST_LIMIT and len(gold.turns) + more <= subject.traits.max_turns
    return _Asked(gold, own[0], more) if fits else None


def _uncounted(subject: Subject, one: _Asked) -> Episode | None:
    """The episode with too many questions without a mark, if it is gold and they are answered as with one."""
    played = play_answers(subject, [(one.gold.row, one.with_more(text)) for text in one.ways])
    if len(played) < len(one.ways) or not was_scored(played[0]) or as_good_as_gold(subject, played[0]):
        return None
    answer, nonsense = (one.replies(episode)[:1] for episode in (played[0], played[-1]))
    return next((
        episode for episode in played[1:-1]
        if was_scored(episode) and as_good_as_gold(subject, episode)
        and _all_alike(one.replies(episode), answer, one.more) and answer != nonsense
    ), None)  # fmt: skip


def _all_alike(replies: Sequence[str], answer: Sequence[str], count: int) -> bool:
    return len(replies) == count and set(replies) == set(answer) != {""}
