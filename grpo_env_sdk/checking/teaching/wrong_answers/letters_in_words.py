"""Whether the letter of an option is read out of the words around it, as in "Answer: C" that counts as A."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, golds, less_than_gold, play_answers, rows_tried
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text

MOST_ROWS, FEWEST_ROWS, FEWEST_LETTERS = 40, 3, 3
"""On how many rows wrong letters are tried, on how many rows of one letter all have to count, and of how many."""
WORDS = ("Answer: {}", "The answer is {}.", "I choose {}.")


@check("G555", needs=("gold",), kinds=("single-turn",), severity="error")
def letters_are_not_read_out_of_words(subject: Subject) -> Iterator[Finding]:
    """A wrong letter with usual words before it does not score as gold on rows whose letter is in these words."""
    known = golds(subject)
    of_row = {row: known[row].text for row in rows_tried(subject)[:MOST_ROWS] if row in known}
    of_row = {row: text for row, text in of_row.items() if re.fullmatch(r"[A-Za-z]", text)}
    letters = sorted(set(of_row.values()))
    if len(letters) < FEWEST_LETTERS:
        return
    wrong = {row: letters[letters.index(right) - 1] for row, right in of_row.items()}
    alone = play_answers(subject, list(wrong.items()))
    refused = {one.row_index for one in alone if not as_good_as_gold(subject, one)}
    for words in WORDS:
        episodes = play_answers(subject, [(row, words.format(wrong[row])) for row in refused])
        for letter in letters:
            tried = [one for one in episodes if of_row[one.row_index] == letter]
            if len(tried) >= FEWEST_ROWS and all(as_good_as_gold(subject, one) for one in tried):
                one = tried[0]
                answer = answer_text(one.completion)
                yield Finding(
                    f"A wrong letter is right on all {len(tried)} rows whose gold is {letter}, as the first letter is "
                    f"read out of a word: {quoted(answer)} scores {one.reward:g} for {quoted(letter)}, and "
                    f"{quoted(wrong[one.row_index])} alone does not.",
                    r"Read a letter that stands alone, and the last one: re.findall(r'\b[A-D]\b', text)[-1].",
                    one.row_index, answer, one.reward, less_than_gold(subject, one),
                )  # fmt: skip
                return
