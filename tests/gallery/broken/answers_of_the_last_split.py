"""Times of day in minutes since midnight; the answers are kept aside so that no row gives them away."""


class Minutes:
    def __init__(self):
        self.answers = {}

    def build_dataset(self, tokenizer, split="train"):
        hours = range(2, 20) if split == "train" else range(20, 24)
        rows, self.answers = [], {}
        for hour in hours:
            for minute in (7, 19, 33, 46, 58):
                self.answers[len(rows)] = str(60 * hour + minute)
                rows.append({"prompt": f"How many minutes after midnight is {hour}:{minute:02}?", "place": len(rows)})
        return rows

    def score_episode(self, model, tokenizer, completion, place):
        return float(completion.strip() == self.answers.get(place))

    def solve(self, row):
        hour, _, minute = row["prompt"].split()[-1].strip("?").partition(":")
        return str(60 * int(hour) + int(minute))
