"""Whether a game that says that it is lost goes on, and can still be won."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, less_than_gold, play_answers, quoted
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, MOST_ROWS
from grpo_env_sdk.checking.evidence.variants import prompt_text, texts_of
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.skipped_ends import skipped_ends
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.types import Episode, Message

TASTED, PLACES, OTHERS, MOST_TIMES = 4, 3, 3, 12
"""On how many rows a wrong act is tried first, at how many places, how many of them at each, and how often one."""
_LOST = re.compile(
    r"\byou(?:'ve| have)? (?:los[et]|died?|are dead|failed|crash(?:ed)?|drown(?:ed)?)\b|\bgame over\b|\bboom\b|"
    r"\byou are out\b|\bthe (?:game|round|match) is (?:over|lost)\b|"
    r"\bno (?:guesses|lives|tries|attempts) (?:are )?left\b",
    re.IGNORECASE,
)
_OF = r"(lives|life|tries|try|attempts?|guesses|guess|health|hearts?|hp|energy|fuel|oxygen|patience)"
_MEANS = re.compile(
    rf"\b(?:no|without|out of|0|zero|last|all)(?: (?:the|more|your|of your))? {_OF}\b[^.!?]{{0,40}}?"
    rf"\b(?:los[et]\w*|over|dead|die|out|ends?|fail\w*)\b",
    re.IGNORECASE,
)
"""What a prompt says that a game is lost without."""
_NONE_LEFT = re.compile(
    rf"\b{_OF}(?: left| remaining| points)?\s?[:=]?\s(?:0|-\d+)(?!\w|\.\d|/)|(?<![\w.-])(?:0|-\d+) {_OF}\b",
    re.IGNORECASE,
)
Won = tuple[Episode, str]
Ways = Callable[[Subject, Gold, Sequence[Message]], Iterator[list[Message]]]


@check("G567", kinds=("multi-turn", "tools"), needs=("gold",))
def a_lost_game_is_over(subject: Subject) -> Iterator[Finding]:
    """After a reply that says that the game is lost, gold's acts no longer score, and no wrong act skips that end."""
    known = [gold for gold in list(golds(subject).values())[: MOST_ROWS[subject.effort]] if len(gold.turns) > 1]
    acts = {str(turn.get("content") or turn["tool_calls"]): _bare(turn) for gold in known for turn in gold.turns[:-1]}
    some = list(acts.values())
    for tried_on in (_exchanged, _used_up):
        won = _won(subject, known[:TASTED], some, tried_on)
        if won and len(known) >= FEWEST_ROWS:
            won += _won(subject, known[TASTED:], some, tried_on)
            yield from _finding(subject, won, len(known))
            return
    yield from skipped_ends(subject)


def _finding(subject: Subject, won: Sequence[Won], of: int) -> Iterator[Finding]:
    """The finding, if the game could be won on enough rows."""
    rows = {one.row_index for one, _ in won}
    if len(rows) >= FEWEST_ROWS - 1:
        episode, said = won[0]
        yield Finding(
            f"A game that says that it is lost goes on, and scores {episode.reward:g} as gold does, on {len(rows)} of "
            f"{of} rows: {quoted(said, 100)}.",
            "End the episode (terminated=True) where it is lost, or let later acts have no effect.",
            episode.row_index, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
        )  # fmt: skip


def _bare(turn: Message) -> Message:
    return {key: value for key, value in turn.items() if key in ("role", "content", "tool_calls")}


def _exchanged(subject: Subject, gold: Gold, acts: Sequence[Message]) -> Iterator[list[Message]]:
    """Gold with an act of another kind at some place, or in place of its own."""
    for place in range(min(PLACES, len(gold.turns))):
        for act in [act for act in acts if act != _bare(gold.turns[place])][:OTHERS]:
            yield from ([*gold.turns[:place], act, *gold.turns[place + skip :]] for skip in (0, 1))


def _used_up(subject: Subject, gold: Gold, acts: Sequence[Message]) -> Iterator[list[Message]]:
    """Gold after acts of other golds that are done again and again, until no lives or tries are left."""
    means = _MEANS.findall(prompt_text(subject, gold.row))
    room = subject.traits.max_turns - len(gold.turns)
    others = [act for act in acts if act not in map(_bare, gold.turns)]
    if not means or room < 2:
        return
    for wrong in range(min(OTHERS, len(others), room)):
        again = (others or acts)[0] if wrong else _bare(gold.turns[0])
        for times in range(2, min(room - wrong, MOST_TIMES) + 1):
            yield [*others[:wrong], *[again] * times, *gold.turns[0 if wrong else 1 :]]


def _won(subject: Subject, known: Sequence[Gold], acts: Sequence[Message], ways: Ways) -> list[Won]:
    """The episodes with other acts in them that were lost by a reply's words, and are as good as gold."""
    tried = [(gold.row, turns) for gold in known for turns in ways(subject, gold, acts)]
    played = [one for one in play_answers(subject, tried) if as_good_as_gold(subject, one)]
    return [
        (one, str(one.completion[place]["content"]))
        for one in played
        if (place := _lost_before_the_end(subject, one)) and not _was_won(subject, one, place)
    ]


def _lost_before_the_end(subject: Subject, episode: Episode) -> int:
    """Where a reply before the last turn says that it was lost, or that nothing is left; 0 where none does."""
    last = max((place for place, one in enumerate(episode.completion) if one["role"] == "assistant"), default=0)
    means = {_stem(word) for word in _MEANS.findall(prompt_text(subject, episode.row_index))}
    for place, message in enumerate(episode.completion[:last]):
        text = "".join(texts_of([message]))
        if _LOST.search(text) or any(_stem(before or after) in means for before, after in _NONE_LEFT.findall(text)):
            return place
    return 0


def _was_won(subject: Subject, episode: Episode, place: int) -> bool:
    """Whether what was done before that reply is as good as gold, without the act that it answers."""
    before = own_turns(episode.completion[:place])[:-1]
    played = play_answers(subject, [(episode.row_index, [*before, assistant_message("Done.")])])
    return any(as_good_as_gold(subject, one) for one in played)


def _stem(word: str) -> str:
    return word.casefold()[:4]
