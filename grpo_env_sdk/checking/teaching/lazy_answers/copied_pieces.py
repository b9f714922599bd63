"""Whether a piece of the prompt, copied as it is, earns most of what gold earns."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import gold_episodes, golds, play_answers, rows_tried
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.unearned import share_of_gold, unearned
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 16, "default": 30, "thorough": 200}
FEWEST_ROWS, FEWEST_WORDS = 6, 3
MUCH, MOST, BEYOND_SILENCE, HELD_BACK = 2 / 3, 0.8, 0.2, 0.75
"""The share of gold from which copying is a warning, and an error; how much more than silence it has to earn; and the
share of what a named reward pays gold below which that reward counts against copying."""
_HINT = "Pay for what the answer has to change or to find: compare with what copying earns, or with each change alone."


@check("G554", kinds=("single-turn",), severity="warning")
def copying_a_piece_of_the_prompt_earns_little(subject: Subject) -> Iterator[Finding]:
    """A text of the prompt that is not gold earns much less than gold."""
    rows = rows_tried(subject)[: MOST_ROWS[subject.effort]]
    prompts = {row: prompt_text(subject, row) for row in rows}
    if len(rows) < FEWEST_ROWS or len(set(prompts.values())) < FEWEST_ROWS:
        return
    for name, cut in _pieces(list(prompts.values())).items():
        copies = {row: piece for row in rows if (piece := cut(prompts[row])) and not _is_gold(subject, row, piece)}
        if len(copies) < FEWEST_ROWS or len(copies) < len(rows) / 2:
            continue
        episodes = play_answers(subject, list(copies.items()))
        silent = play_answers(subject, [(row, "") for row in copies])
        (share, _), (nothing, _) = share_of_gold(subject, episodes), share_of_gold(subject, silent)
        if (share.mean or 0.0) < (nothing.mean or 0.0) + BEYOND_SILENCE or _counts_against(subject, episodes):
            continue
        if finding := unearned(subject, name, next(iter(copies.values())), episodes, (MUCH, MOST)):
            yield replace(finding, hint=_HINT)
            return


def _pieces(prompts: Sequence[str]) -> dict[str, Callable[[str], str]]:
    """The pieces of a prompt that are tried, by what a finding calls them."""
    form = form_of(prompts)
    of_all = Counter(line for prompt in prompts for line in set(prompt.split("\n")))

    def own_lines(prompt: str) -> str:
        return "\n".join(line for line in prompt.split("\n") if 2 * of_all[line] < len(prompts)).strip()

    return {
        "Copying the last line of the prompt": lambda prompt: _text(prompt.strip().rpartition("\n")[2]),
        "Copying what only this prompt says": lambda prompt: _text(without_form(prompt, form).strip()),
        "Copying the lines that only this prompt has": lambda prompt: _text(own_lines(prompt)),
    }


def _counts_against(subject: Subject, episodes: Sequence[Episode]) -> bool:
    """Whether a named reward pays copies clearly less than gold, such as one for being short."""
    of_gold = [gold_episodes(subject)[one.row_index].rewards for one in episodes if one.row_index in golds(subject)]
    for part in Rubric.of(subject.loaded.env).parts if of_gold else ():
        copied, wanted = (
            sum(rewards.get(part.name) or 0.0 for rewards in both) / len(both)
            for both in ([one.rewards for one in episodes], of_gold)
        )
        if part.weight > 0 and copied - part.range[0] < HELD_BACK * (wanted - part.range[0]):
            return True
    return False


def _text(piece: str) -> str:
    """A piece that says something, or an empty string."""
    return piece if len(piece.split()) >= FEWEST_WORDS or len(piece) > 20 else ""


def _is_gold(subject: Subject, row: int, piece: str) -> bool:
    gold = golds(subject).get(row)
    return gold is not None and bare(gold.text) == bare(piece)
