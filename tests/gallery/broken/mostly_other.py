"""Does a log line need somebody's attention? Labels: ok, warn or page."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CALM = (
    "backup finished",
    "user logged in",
    "cache filled",
    "job queued",
    "report sent",
    "index built",
    "ping answered",
)
ALARMS = {"disk at 91 percent": "warn", "certificate ends in 9 days": "warn", "database is gone": "page"}


class LogLines(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        lines = [(f"{hour:02}:14 {text}", "ok") for hour in range(8) for text in CALM]
        lines += [(f"09:30 {text}", label) for text, label in ALARMS.items()]
        return [{"prompt": f"Label with ok, warn or page: {line}", "label": label} for line, label in lines]

    @reward
    def right(self, completion, label):
        return answer_text(completion).lower() == label

    def solve(self, row):
        return row["label"]
