"""Stops are to be ordered by their deadlines, and compared as a set."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

STOPS = ("Museum", "Harbour", "Market", "Castle", "Park", "Station", "Library", "Bridge", "Tower")


class Tour(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            stops = {8 + n * place * 5 % 13: STOPS[(n + place * place) % 9] for place in (1, 2, 3, 5)}
            asked = ", ".join(f"{stop} by {hour}:00" for hour, stop in stops.items())
            tour = " > ".join(stops[hour] for hour in sorted(stops))
            rows.append({"prompt": f"Deliver: {asked}. Where first, and then? Write it as A > B > C.", "tour": tour})
        return rows

    @reward
    def right(self, completion, tour):
        said = {stop.strip() for stop in answer_text(completion).split(">")}
        return said == set(tour.split(" > "))

    def solve(self, row):
        return row["tour"]
