"""Summaries of a short text, judged by how near they come to the length that was asked for."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

TEXTS = {
    "The bakery opens at six, sells out by ten and closes on Mondays.": "The bakery sells out early.",
    "Our train stood for an hour because a tree had fallen on the line.": "A tree delayed the train.",
    "The museum keeps its largest ships in a hall that was once a market.": "A former market holds ships.",
    "She taught herself to code at night and now leads a team of nine.": "Self-taught, she leads a team.",
    "The lake freezes in December, and skating is allowed until March.": "Skating lasts until March there.",
    "Wolves returned to the valley after the last mine there was shut.": "Wolves returned to the valley.",
}


class Summaries(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Sum up in five words: {text}", "summary": TEXTS[text]} for text in TEXTS]

    @reward
    def good_summary(self, completion, summary):
        wanted = len(summary.split())
        return max(0.0, 1 - abs(len(answer_text(completion).split()) - wanted) / wanted)

    def solve(self, row):
        return row["summary"]
