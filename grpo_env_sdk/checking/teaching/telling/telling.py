"""Whether errors and replies to wrong messages say what the model has to work out."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    as_good_as_gold,
    gold_episodes,
    golds,
    loses_half,
    play_answers,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import (
    ByRow,
    answers,
    choices,
    hinted,
    looked_up,
    mates_of,
    options,
    says_wrong,
    secrets,
    words_of,
)
from grpo_env_sdk.checking.evidence.shown_texts import texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.limits_in_refusals import states_limit
from grpo_env_sdk.checking.teaching.telling.silence import told_for_silence
from grpo_env_sdk.checking.teaching.telling.told_beside_questions import told_beside_questions
from grpo_env_sdk.checking.teaching.telling.told_by_name import told_by_name
from grpo_env_sdk.checking.teaching.telling.told_by_status import told_by_status
from grpo_env_sdk.checking.teaching.telling.told_by_wrong_calls import told_by_wrong_calls
from grpo_env_sdk.checking.teaching.telling.told_by_wrong_characters import told_by_wrong_characters
from grpo_env_sdk.checking.teaching.telling.told_in_places import told_in_places
from grpo_env_sdk.checking.teaching.telling.told_on_retry import right_choice_told
from grpo_env_sdk.checking.teaching.telling.told_to_any_query import told_to_any_query
from grpo_env_sdk.checking.teaching.telling.told_to_guesses import told_to_guesses
from grpo_env_sdk.checking.teaching.telling.told_to_switches import told_to_switches
from grpo_env_sdk.checking.teaching.telling.told_to_unusable import told_to_unusable
from grpo_env_sdk.checking.teaching.telling.told_without_gold import told_without_gold
from grpo_env_sdk.checking.teaching.telling.tried_turns import FILES, WRONG, opened_files, wrong_episodes
from grpo_env_sdk.checking.teaching.telling.words_in_any_reply import without_words_in_any_reply
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS = {"quick": 8, "default": 14, "thorough": 60}
FEWEST_ROWS, TASTED = 4, 5
"""The fewest rows with something to tell, and on how many it is tried before it is tried on more."""
PAYS = 0.5
MOST_AGAIN = 6
"""On how many rows gold is played again after what told it."""


@dataclass(frozen=True, slots=True)
class Told:
    """A reply to something that was wrong, with what the model had to work out."""

    episode: Episode
    secret: str
    reply: str
    said: Any


Way = Callable[[str, Episode], Told | None]
"""What an episode told, by what was tried in it."""


@check("G519", kinds=("tools", "multi-turn"), needs=("acts",), share=7)
def replies_do_not_tell_the_answer(subject: Subject) -> Iterator[Finding]:
    """Errors, replies to wrong messages and files that tools list do not contain what only gold knows."""
    if subject.stand_ins is not None:
        yield from islice(told_without_gold(subject), 1)
        return
    most = MOST_ROWS[subject.effort]
    if subject.traits.user == "method":
        yield from told_for_silence(subject, most)
    of_replies = secrets(subject)
    asked = _telling(most, of_replies, choices(subject), options(subject)[0], looked_up(subject))
    opened = _telling(most, of_replies, answers(subject))
    for rows in (slice(TASTED), slice(most)):
        tried = [*wrong_episodes(subject, asked[rows]), *opened_files(subject, opened[rows])]
        ways = _ways(subject, tried)
        for way in ways:
            if rows.stop == most and (found := _on_most(subject, tried, way)):
                yield found
                return
        if not any(way(how, episode) for way in ways for how, episode in tried):
            break
    others = (
        told_in_places, told_by_name, right_choice_told, told_to_guesses, told_by_status, told_by_wrong_calls,
        told_to_unusable, told_to_any_query, told_beside_questions, told_to_switches, told_by_wrong_characters,
    )  # fmt: skip
    yield from islice(chain.from_iterable(find(subject) for find in others), 1)


def _ways(subject: Subject, tried: Sequence[tuple[str, Episode]]) -> tuple[Way, ...]:
    """How a reply may tell it, without the words that such replies have on any row."""
    replies: dict[str, dict[int, str]] = defaultdict(lambda: defaultdict(str))
    for how, episode in tried:
        replies[how][episode.row_index] += " ".join(["", *(reply for _, reply, _ in _replies(episode))])

    def told_by(words: ByRow) -> dict[str, ByRow]:
        return {how: without_words_in_any_reply(words, texts) for how, texts in replies.items()}

    of_replies, of_errors, of_files = told_by(secrets(subject)), told_by(choices(subject)), answers(subject)
    of_options, listed = options(subject)
    options_told, of_tools = told_by(of_options), told_by(looked_up(subject))
    return (
        lambda how, episode: _told(episode, of_replies[how], how),
        lambda how, episode: _told_choice(episode, of_errors[how]) if how != FILES else None,
        lambda how, episode: _told_option(episode, options_told[how], listed, how),
        lambda how, episode: _told_by_key(subject, episode, of_files) if how == FILES else None,
        lambda how, episode: _told_unasked(subject, episode, of_tools[how], how) if how != FILES else None,
    )


def _telling(most: int, *found: ByRow) -> list[int]:
    """Some rows with secret words, if enough rows have some and they differ."""
    rows: dict[int, None] = {}
    for words in found:
        own = [row for row in words if words[row]]
        if len(own) >= FEWEST_ROWS and len({frozenset(words[row]) for row in own}) >= 3:
            rows |= dict.fromkeys(own[:most])
    return list(rows)


def _on_most(subject: Subject, tried: Sequence[tuple[str, Episode]], way: Way) -> Finding | None:
    """The finding that the same kind of reply tells it on most rows, and that gold after it still scores."""
    told: dict[str, list[Told]] = defaultdict(list)
    rows: dict[str, set[int]] = defaultdict(set)
    for how, episode in tried:
        rows[how].add(episode.row_index)
        if found := way(how, episode):
            told[how].append(found)
    for how, cases in told.items():
        of_rows = {case.episode.row_index for case in cases}
        if len(of_rows) >= max(3, PAYS * len(rows[how])) and _pays_afterwards(subject, how, cases):
            return _finding(how, cases[0], len(of_rows), len(rows[how]))
    return None


def _pays_afterwards(subject: Subject, how: str, cases: Sequence[Told]) -> bool:
    """Whether gold still scores on a row after what was told; not where the first choice counts."""
    of_rows = {case.episode.row_index: case for case in cases if how != FILES}
    again = [(row, [_act(case), *golds(subject)[row].turns]) for row, case in of_rows.items() if case.said]
    played = play_answers(subject, again[:MOST_AGAIN])
    return not played or any(was_scored(one) and not loses_half(subject, one) for one in played)


def _act(case: Told) -> str | Message:
    """What was said or called before the reply."""
    name = next((call["name"] for call in case.episode.tool_calls if call["arguments"] is case.said), "")
    return call_message(name, **case.said) if name and isinstance(case.said, dict) else str(case.said)


def _told_choice(episode: Episode, chosen: ByRow) -> Told | None:
    """The first error that names the one id of several that gold chose in this row and no other, but for a limit."""
    own = chosen.get(episode.row_index, set())
    for said, reply, is_error in _replies(episode):
        words, given = words_of(reply), words_of(str(said))
        hits = [one for one in own & words - given if not (mates_of(one, words - given) or states_limit(reply, one))]
        if is_error and hits:
            return Told(episode, hits[0], reply, said)
    return None


def _told_option(episode: Episode, named: ByRow, listed: set[str], how: str) -> Told | None:
    """The first reply to something wrong that names the right option, whole or half of it, and no other."""
    own = named.get(episode.row_index, set())
    for said, reply, is_error in _replies(episode):
        text, given = reply.casefold(), str(said).casefold()
        hits = [one for one in own if hinted(one, text) and not hinted(one, given)]
        others = [one for one in listed - own if hinted(one, text)]
        if hits and not others and (how == WRONG or is_error):
            return Told(episode, hits[0], reply, said)
    return None


def _told_by_key(subject: Subject, episode: Episode, answered: ByRow) -> Told | None:
    """The first file named after answers, which gold does not open, that holds the words of gold's last message."""
    own = answered.get(episode.row_index, set())
    used = {str(call["arguments"]) for call in gold_episodes(subject)[episode.row_index].tool_calls}
    for said, reply, _ in _replies(episode):
        hits = own & words_of(reply)
        if hits and str(said) not in used and KEPT_FOR_THE_SCORER.search(str(said)):
            return Told(episode, sorted(hits)[0], reply, said)
    return None


def _told_unasked(subject: Subject, episode: Episode, found: ByRow, how: str) -> Told | None:
    """The first such reply that has what gold looks up with a tool, where the rest of gold after it scores as gold."""
    case = _told(episode, found, how)
    turns = golds(subject)[episode.row_index].turns
    used = [place for place, turn in enumerate(turns) if case and case.secret in words_of(canonical_json(turn))]
    if case is None or not used or not used[0] or states_limit(case.reply, case.secret):
        return None
    played = play_answers(subject, [(episode.row_index, [*_said_until(case), *turns[used[0] :]])])
    return case if any(as_good_as_gold(subject, one) for one in played) else None


def _said_until(case: Told) -> list[Message]:
    """The turns of the model up to the one that the reply answers."""
    replied = [place for place, one in enumerate(case.episode.completion) if case.reply in texts_of([one])]
    return own_turns(case.episode.completion[: replied[0]]) if replied else []


def _told(episode: Episode, secrets: ByRow, how: str) -> Told | None:
    """The first reply with a secret of this row, unless it lists those of other rows as well or repeats the call."""
    own = secrets.get(episode.row_index, set())
    columns = {name.casefold() for name in episode.row if name not in ("prompt", "case_idx")}
    columns = columns if len(columns) > 1 else {"\0"}
    others = [words - own for row, words in secrets.items() if row != episode.row_index]
    for said, reply, is_error in _replies(episode):
        words, given = words_of(reply), words_of(str(said))
        hits = (own & words) - given
        listed = sum(bool(words & other) for other in others)
        kept = how == FILES and said and KEPT_FOR_THE_SCORER.search(f"{said} {reply}")
        if hits and listed * 3 <= len(others) and (how == WRONG or is_error or kept or columns <= words):
            return Told(episode, sorted(hits)[0], reply, said)
    return None


def _replies(episode: Episode) -> Iterator[tuple[Any, str, bool]]:
    """What was said or called, the reply, and whether it is an error; only replies that a later turn can use."""
    for call in episode.tool_calls:
        content = str(call["content"])
        yield call["arguments"] or "", content, bool(call["error"]) or says_wrong(content)
    last = max(places_of_turns(episode.completion), default=0)
    said = ""
    for message in episode.completion[:last]:
        if message["role"] == "assistant":
            said = str(message.get("content") or "")
        elif message["role"] == "user":
            yield said, str(message.get("content") or ""), False


def _finding(how: str, case: Told, won: int, of: int) -> Finding:
    reply = case.reply.casefold()
    where = reply.find(case.secret if case.secret in reply else case.secret[: (len(case.secret) + 1) // 2])
    shown = case.reply[max(0, where - 30) : where + len(case.secret) + 30]
    which = f" ({', '.join(map(str, case.said.values()))})" if how == FILES and isinstance(case.said, dict) else ""
    return Finding(
        f"{how}{which} tells what the model has to work out, on {won} of {of} rows: {quoted(case.secret)} in "
        f"{quoted(shown, 100)}.",
        "Say only that it was wrong, and keep what the scorer compares with out of errors, replies and files.",
        row=case.episode.row_index, input=own_turns(case.episode.completion), output=case.reply,
        expected=f"a reply without {case.secret!r}",
    )  # fmt: skip
