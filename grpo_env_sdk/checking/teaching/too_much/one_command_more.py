"""Whether a written command more, which the prompt forbids, is as good as gold."""

from collections.abc import Iterator, Sequence
from copy import deepcopy

from grpo_env_sdk.checking.evidence.attempts.command_words import words_beside, words_of_commands
from grpo_env_sdk.checking.evidence.attempts.slots import Slot, with_values
from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_scored, won_of
from grpo_env_sdk.checking.evidence.prompts.forbidden_more import forbids_more
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.too_much.all_listed_acts import ids_beside
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.types import Episode, Message

TASTED, OFFERED = 4, 4


def one_command_more(subject: Subject) -> Iterator[Finding]:
    """The finding that gold with the same command for something else behind it scores as much, though it was done."""
    for slots in words_of_commands(subject):
        known = [
            one for one in slots
            if one.turn < len(one.gold.turns) - 1 and forbids_more(prompt_text(subject, one.gold.row))
        ]  # fmt: skip
        if len(known) < TASTED or len(_won(subject, known[:TASTED])) < TASTED - 1:
            continue
        won = _won(subject, known)
        if as_good_on_most(subject, won, len(known)):
            yield paid(
                subject, won, len(known), "Gold and one more command like one of its own, which the prompt forbids,",
                "Compare what was reached with the goal as a whole: equal to it, and nothing beside or beyond it.",
            )  # fmt: skip
            return


def _won(subject: Subject, slots: Sequence[Slot]) -> list[Episode]:
    """By row, an episode with one more command that was carried out, and that is as good as gold."""
    tried = [(slot, other, _reply(gold_episodes(subject)[slot.gold.row], slot.turn)) for slot in slots
             for other in _others(subject, slot)]  # fmt: skip
    played = {
        (episode.row_index, other): episode
        for slot, other, reply in tried
        for episode in play_scored(subject, [(slot.gold.row, _with_more(slot, other))])
        if str(slot.value) in reply and _reply(episode, slot.turn + 1) == reply.replace(str(slot.value), other)
    }
    return list({one.row_index: one for one in won_of(subject, list(played.values()))}.values())


def _with_more(slot: Slot, other: str) -> list[Message]:
    turns = deepcopy(slot.gold.turns)
    return [*turns[: slot.turn + 1], with_values([slot], [other])[slot.turn], *turns[slot.turn + 1 :]]


def _others(subject: Subject, slot: Slot) -> list[str]:
    """Other things than those of gold: ids that are shown, then the words of other rows."""
    episode = gold_episodes(subject)[slot.gold.row]
    shown = [prompt_text(subject, slot.gold.row), *(str(one["content"]) for one in episode.completion)]
    said = " ".join(str(turn.get("content")) for turn in slot.gold.turns)
    found = dict.fromkeys([*ids_beside(slot.value, shown), *words_beside(subject, slot)])
    return [one for one in found if one not in said][:OFFERED]


def _reply(episode: Episode, turn: int) -> str:
    """What follows a turn of the assistant, until its next one."""
    places = [*places_of_turns(episode.completion), len(episode.completion)]
    if turn >= len(places) - 1:
        return ""
    return " ".join(str(one["content"]) for one in episode.completion[places[turn] + 1 : places[turn + 1]])
