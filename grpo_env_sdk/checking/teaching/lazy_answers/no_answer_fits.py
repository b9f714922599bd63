"""Whether some answer is right on every row, where all answers that there can be are few and known."""

from collections import Counter
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import BEST_POSSIBLE, NEARLY, golds, play_answers
from grpo_env_sdk.checking.evidence.prompts.closed_answers import NONE_FITS, closed_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

MOST_ROWS = {"quick": 16, "default": 40, "thorough": 400}
FIRST, FEWEST_WON, FEWEST_LOST, SHARE, AT_ONCE = 6, 6, 2, 0.6, 8
"""After how many rows half of them have to be won; the rows that are won and lost at least, the share that is won, and
how many answers are tried at once."""


@check("G613", kinds=("single-turn",), plays=200)
def some_answer_fits_every_row(subject: Subject) -> Iterator[Finding]:
    """Where a prompt asks for one of a few known values, one of them scores on every row, or saying that none does."""
    rows = [row for row in subject.sample(MOST_ROWS[subject.effort]) if BEST_POSSIBLE not in subject.row(row)]
    if subject.traits.solvable or len(rows) < FEWEST_WON:
        return  # G501 says which rows `solve` does not win
    what, answers = closed_answers([prompt_text(subject, row) for row in rows])
    won: dict[int, str] = {}
    lost: list[int] = []
    usual: Counter[str] = Counter()
    known = golds(subject) if answers else {}
    for number, row in enumerate(subject.in_time(rows) if answers else ()):
        if number == FIRST and len(won) < FIRST / 2:
            return
        in_order = sorted(answers, key=lambda one: -usual[one])
        first = known[row].text if row in known else _first_won(subject, row, [*in_order, *NONE_FITS])
        if first and not any(one.casefold() in first.casefold() for one in (*answers, *NONE_FITS)):
            return  # it asks for something else
        if first is None:
            lost.append(row)
        elif first:
            won[row] = first
            usual[first] += 1
    tried = len(won) + len(lost)
    if len(won) < max(FEWEST_WON, SHARE * tried) or len(lost) < FEWEST_LOST or len(usual) < FEWEST_LOST + 1:
        return
    row, other = lost[0], next(iter(won))
    yield Finding(
        f"On {len(lost)} of {tried} rows no answer scores: each {what} was tried ({quoted(answers[0])} to "
        f"{quoted(answers[-1])}), and saying that there is none. On the others one does, such as {quoted(won[other])} "
        f"in row {other}.",
        "Draw rows until some answer is right, let the prompt ask to say that none is, and pay for that; or give each "
        f"row a column {BEST_POSSIBLE!r}.",
        row, prompt_text(subject, row)[-1_000:],
    )  # fmt: skip


def _first_won(subject: Subject, row: int, answers: list[str]) -> str | None:
    """The first answer that scores the top; None where none does, and an empty text where not all could be tried."""
    top = subject.traits.reward_range[1]
    for start in range(0, len(answers), AT_ONCE):
        batch = answers[start : start + AT_ONCE]
        episodes = play_answers(subject, [(row, answer) for answer in batch])
        for answer, episode in zip(batch, episodes, strict=False):
            if episode.reward is not None and episode.reward >= top - NEARLY:
                return answer
        if len(episodes) < len(batch) or any(episode.error for episode in episodes):
            return ""
    return None
