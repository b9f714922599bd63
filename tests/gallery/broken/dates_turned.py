"""The prompt asks for a date as JJ/MM/AAAA, and what is right is compared with the year first."""

from datetime import date, timedelta

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Invoices(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(24):
            sent, days = date(2024, 2, 3) + timedelta(days=11 * n), 10 + n % 20
            ask = f"La facture du {sent:%d/%m/%Y} est payable à {days} jours. Date limite ? Répondez en JJ/MM/AAAA."
            rows.append({"prompt": ask, "answer": str(sent + timedelta(days=days))})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
