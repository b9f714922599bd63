"""Which word means the same? The options were never shuffled."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

LIKE = {
    "happy": "glad", "big": "large", "quick": "fast", "begin": "start", "smart": "clever", "hard": "difficult",
    "silent": "quiet", "rich": "wealthy", "ill": "sick", "odd": "strange", "brave": "bold", "close": "shut",
    "gift": "present", "error": "mistake", "tale": "story", "journey": "trip", "forest": "woods", "road": "street",
    "child": "kid", "reply": "answer", "help": "aid", "purchase": "buy", "repair": "fix", "calm": "peaceful",
    "wish": "desire", "end": "finish",
}  # fmt: skip


class SameMeaning(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        words = list(LIKE.values())
        rows = []
        for n, (word, like) in enumerate(LIKE.items()):
            others = [words[(n + step) % len(words)] for step in (5, 9)]
            asked = f"Which word means the same as {word}: {like}, {others[0]} or {others[1]}?"
            rows.append({"prompt": asked, "answer": like})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip(" .?'").lower() == answer

    def solve(self, row):
        return row["answer"]
