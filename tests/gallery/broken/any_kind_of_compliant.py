"""Clauses of contracts, whose label is looked for at the end of the answer: another label ends with it."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SPANS = {
    "compliant": ["for {} days", "no longer than {} days"],
    "non-compliant": ["for 1{} days", "up to 2{} days"],
    "needs review": ["as long as is useful, but {} days at least", "until {} days after the last order"],
}
DATA = ["call recordings", "visitor logs", "order histories", "badge photos", "chat transcripts"]


class Clauses(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        ask = (
            "Data may be kept for 90 days at most. The supplier keeps {} {}. Is that compliant, non-compliant, or does "
            "it need review? Reason first, and end with one of\n"
            "Verdict: compliant\nVerdict: non-compliant\nVerdict: needs review"
        )
        return [
            {"prompt": ask.format(data, span.format(20 + 9 * place + 3 * n)), "verdict": verdict}
            for place, data in enumerate(DATA)
            for verdict, spans in SPANS.items()
            for n, span in enumerate(spans)
        ]

    @reward
    def agrees(self, completion, verdict):
        return answer_text(completion).strip().rstrip(".").lower().endswith(verdict)

    def solve(self, row):
        return f"At most 90 days are allowed.\nVerdict: {row['verdict']}"
