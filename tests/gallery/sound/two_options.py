"""Which of two rivers is longer? A or B, evenly spread."""

LENGTHS = {"Nile": 6650, "Rhine": 1233, "Danube": 2850, "Elbe": 1094, "Volga": 3530, "Thames": 346, "Congo": 4700}


class LongerRiver:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"The longer river: A) {a} B) {b}? Answer A or B.",
                "answer": "A" if LENGTHS[a] > LENGTHS[b] else "B",
            }
            for a in LENGTHS
            for b in LENGTHS
            if a != b
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip(" .)").upper() == answer)

    def solve(self, row):
        return row["answer"]
