"""Whether the target of each row can be reached with its numbers, by trying every expression."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import BEST_POSSIBLE, golds
from grpo_env_sdk.checking.evidence.prompts.target_games import game_in, solution_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share

ROWS = {"quick": 40, "default": 100, "thorough": 1_000}
FEWEST_REACHED, FEWEST_OUT = 4, 2


@check("G596", needs=("gold",), kinds=("single-turn",))
def targets_can_be_reached(subject: Subject) -> Iterator[Finding]:
    """Where numbers have to reach a target and expressions that do score, the target of every row can be reached."""
    rows = subject.sample(ROWS[subject.effort])
    if subject.traits.solvable or not rows or game_in(prompt_text(subject, rows[0])) is None:
        return  # G501 says which rows `solve` does not win
    known = golds(subject)
    out, reached = [], 0
    for row in subject.in_time(rows):
        game = game_in(prompt_text(subject, row))
        if game is None or BEST_POSSIBLE in subject.row(row):
            continue
        solution = solution_of(game)
        if solution is None and row not in known:
            out.append((row, game))
        elif solution is not None and row in known:
            reached += solution in known[row].text
    if reached >= FEWEST_REACHED and len(out) >= FEWEST_OUT:
        row, game = out[0]
        yield Finding(
            f"No expression reaches the target on {Share(len(out), len(out) + reached)}, although all were tried: "
            f"{game.target} from {', '.join(map(str, game.numbers))} in row {row}. Where there is one it scores, such "
            f"as {quoted(next(iter(known.values())).text)} in row {next(iter(known))}.",
            "Draw the target from an expression of the numbers, leave such rows out, or give each row a column "
            f"{BEST_POSSIBLE!r}.",
            row, prompt_text(subject, row)[-300:],
        )  # fmt: skip
