"""Route a customer's message to a queue."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

QUEUES = {
    "refunds": ["I want my money back", "You charged me for two", "The voucher was not taken off"],
    "delivery": ["My parcel never came", "It went to a neighbour I do not know", "The driver left it in the rain"],
    "account": ["I cannot log in", "Please change my address", "Delete what you know about me"],
    "repairs": ["The handle broke off", "It stopped after a week", "The screen flickers"],
}


class Routing(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Queues: {', '.join(QUEUES)}. Which one for: '{text}'? Only the queue.", "queue": queue}
            for queue, texts in QUEUES.items()
            for text in texts
        ]

    @reward
    def right_queue(self, completion, queue):
        return queue in answer_text(completion).lower()

    def solve(self, row):
        return row["queue"]
