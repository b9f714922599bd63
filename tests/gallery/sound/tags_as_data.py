"""Prompts hold tags as data, which are no form for the answer."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Records(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(50):
            record = f"<result><name>N{n}</name><age>{n * 7 % 60 + 10}</age><zip>{n * 7919}</zip></result>"
            prompt = f"Here is a record: {record}. Use the <result> above: what is the age? Digits only."
            rows.append({"prompt": prompt, "answer": str(n * 7 % 60 + 10)})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
