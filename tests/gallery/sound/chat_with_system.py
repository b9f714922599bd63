"""A chat with a system message and an example, as a template expects it."""

SYSTEM = {"role": "system", "content": "You answer with the past tense of a verb, one word."}
EXAMPLE = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "went"}]
PAST = {"see": "saw", "eat": "ate", "run": "ran", "buy": "bought", "fly": "flew", "sing": "sang", "break": "broke"}


class PastTense:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": [SYSTEM, *EXAMPLE, {"role": "user", "content": verb}], "answer": past}
            for verb, past in PAST.items()
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        return float((completion[-1].get("content") or "").strip().lower() == answer)

    def solve(self, row):
        return row["answer"]
