"""Whether a game that says that it is lost goes on, and can still be won."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers, too_good, won_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, MOST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.skipped_ends import skipped_ends
from grpo_env_sdk.data.messages import assistant_message, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, PLACES, OTHERS, MOST_TIMES = 4, 3, 3, 12
"""On how many rows a wrong act is tried first, at how many places, how many of them at each, and how often one."""
_OVER = regex(
    r"\bgame over\b|\bthe (?:game|match|task|mission|quest) (?:is|has been|was) (?:over|lost)\b|"
    r"\bno (?:guesses|lives|tries|attempts) (?:are )?left\b",
    re.IGNORECASE,
)
_LOST = regex(
    r"\byou(?:'ve| have)? (?:los[et]|died?|failed|crash(?:ed)?|drown(?:ed)?|s[aiu]nk)\b"
    r"(?! (?:a|an|one|your|this|that|some|\d+|the(?! (?:game|match)\b))\b)|\bboom\b|"
    r"\byou(?: are|'re| were| have been| get| got) (?:dead|out(?! of\b)|sunk|drowned|fired|killed|caught|arrested|"
    r"eaten|bankrupt|disqualified|eliminated)\b|\bthe round is (?:over|lost)\b|"
    r"\b(?:the|your) (?:mission|task|quest|expedition|patient|deal|case|heist|talks?) "
    r"(?:has failed|is (?:over|lost|dead|off)|has died)\b|\b(?:it is|it's|you are|you're) too late\b(?=\W*$)",
    re.IGNORECASE,
)
_GOES_ON = regex(r"\b(?:again|back|restart\w*|start over|try|another|next|costs?|for now)\b", re.IGNORECASE)
_OF_ROUNDS = regex(r"\b(?:rounds|hands|best of|sets|duels|matches|bouts)\b", re.IGNORECASE)
"""What replies say where a game is over, or where it is lost, and what is said where it may go on after that."""
_OF = r"(lives|life|tries|try|attempts?|guesses|guess|health|hearts?|hp|energy|fuel|oxygen|patience)"
_MEANS = regex(
    rf"\b(?:no|without|out of|0|zero|last|all)(?: (?:the|more|your|of your))? {_OF}\b[^.!?]{{0,40}}?"
    rf"\b(?:los[et]\w*|over|dead|die|out|ends?|fail\w*)\b",
    re.IGNORECASE,
)
"""What a prompt says that a game is lost without."""
_NONE_LEFT = regex(
    rf"\b{_OF}(?: left| remaining| points)?\s?[:=]?\s(?:0|-\d+)(?!\w|\.\d|/)|(?<![\w.-])(?:0|-\d+) {_OF}\b",
    re.IGNORECASE,
)
Won = tuple[Episode, str]
Ways = Callable[[Subject, Gold, Sequence[Message]], Iterator[list[Message]]]


@check("G567", kinds=("multi-turn", "tools"), needs=("gold",))
def a_lost_game_is_over(subject: Subject) -> Iterator[Finding]:
    """After a reply that says that the game is lost, gold's acts no longer score, and no wrong act skips that end."""
    known = list(golds(subject).values())[: MOST_ROWS[subject.effort]]
    some = list({str(_comparable(turn)): _bare(turn) for gold in known for turn in _acts(subject, gold)}.values())
    for tried_on in (_exchanged, _used_up):
        won = _won(subject, known[:TASTED], some, tried_on)
        if won and len(known) >= FEWEST_ROWS:
            won += _won(subject, known[TASTED:], some, tried_on)
            yield from _finding(subject, won, len(known))
            return
    yield from skipped_ends(subject)


def _acts(subject: Subject, gold: Gold) -> Sequence[Message]:
    """The acts of gold that do not end an episode of themselves."""
    return gold.turns if subject.traits.kind == "multi-turn" and len(gold.turns) == 1 else gold.turns[:-1]


def _comparable(turn: Message) -> object:
    return functions_of([turn]) or turn.get("content")


def _finding(subject: Subject, won: Sequence[Won], of: int) -> Iterator[Finding]:
    """The finding, if the game could be won on enough rows."""
    rows = {one.row_index for one, _ in won}
    if len(rows) >= FEWEST_ROWS - 1:
        episode, said = won[0]
        yield Finding(
            f"A game that says that it is lost goes on, and scores {episode.reward:g} as gold does, on {len(rows)} of "
            f"{of} rows: {quoted(said, 100)}.",
            "End the episode (terminated=True) where it is lost, or let later acts have no effect.",
            *too_good(subject, episode),
        )  # fmt: skip


def _bare(turn: Message) -> Message:
    return {key: value for key, value in turn.items() if key in ("role", "content", "tool_calls")}


def _exchanged(subject: Subject, gold: Gold, acts: Sequence[Message]) -> Iterator[list[Message]]:
    """Gold with an act of another kind at some place, or in place of its own."""
    for place in range(min(PLACES, len(gold.turns))):
        for act in [act for act in acts if act != _bare(gold.turns[place])][:OTHERS]:
            yield from ([*gold.turns[:place], act, *gold.turns[place + skip :]] for skip in (0, 1))


def _used_up(subject: Subject, gold: Gold, acts: Sequence[Message]) -> Iterator[list[Message]]:
    """Gold after wrong acts that are done until a reply says that the game is lost."""
    for run, rest in _runs(subject, gold, acts):
        for episode in play_answers(subject, [(gold.row, [*run, assistant_message("Done.")])]):
            if place := _lost_before_the_end(subject, episode):
                done = len(own_turns(episode.completion[:place]))
                yield from ([*run[:done], *gold.turns[skip:]] for skip in sorted({rest(done), min(done, rest(done))}))


def _runs(
    subject: Subject, gold: Gold, acts: Sequence[Message]
) -> Iterator[tuple[list[Message], Callable[[int], int]]]:
    """Runs of acts that may be wrong, and where gold goes on after so many of them."""
    room = min(subject.traits.max_turns - len(gold.turns), MOST_TIMES)
    own = [_bare(turn) for turn in gold.turns]
    wrong = [act for act in acts if act != own[0]]
    others = [act for act in wrong if act not in own]
    yield from (([act] * room, lambda done: 0) for act in wrong[:OTHERS] if room > 0)
    yield [own[0]] * (room + 1), lambda done: 1
    for before in range(1, min(OTHERS, len(others), room)):
        yield [*others[:before], *[others[0]] * (room - before)], lambda done: 0
    yield others[:room], lambda done: 0
    between = [[next((act for act in acts if act != turn), turn), turn] for turn in own]
    yield [act for pair in between for act in pair][: 2 * room], lambda done: done // 2


def _won(subject: Subject, known: Sequence[Gold], acts: Sequence[Message], ways: Ways) -> list[Won]:
    """The episodes with other acts in them that were lost by a reply's words, and are as good as gold."""
    tried = [(gold.row, turns) for gold in known for turns in ways(subject, gold, acts)]
    played = won_of(subject, play_answers(subject, tried))
    return [
        (one, str(one.completion[place]["content"]))
        for one in played
        if (place := _lost_before_the_end(subject, one)) and not _was_won(subject, one, place)
    ]


def _lost_before_the_end(subject: Subject, episode: Episode) -> int:
    """Where a reply before the last turn says that it was lost, or that nothing is left; 0 where none does."""
    last = max(places_of_turns(episode.completion), default=0)
    prompt = prompt_text(subject, episode.row_index)
    means = {_stem(word) for word in _MEANS.findall(prompt)}
    for place, message in enumerate(episode.completion[:last]):
        text = "".join(texts_of([message])) if message["role"] != "system" and place >= episode.opening else ""
        if (
            _OVER.search(text)
            or _is_lost(text, prompt)
            or any(_stem(before or after) in means for before, after in _NONE_LEFT.findall(text))
        ):
            return place
    return 0


def _is_lost(reply: str, prompt: str) -> bool:
    return _LOST.search(reply) is not None and not _GOES_ON.search(reply) and not _OF_ROUNDS.search(prompt)


def _was_won(subject: Subject, episode: Episode, place: int) -> bool:
    """Whether what was done before that reply is as good as gold, without the act that it answers."""
    before = own_turns(episode.completion[:place])[:-1]
    played = play_answers(subject, [(episode.row_index, [*before, assistant_message("Done.")])])
    return any(as_good_as_gold(subject, one) for one in played)


def _stem(word: str) -> str:
    return word.casefold()[:4]
