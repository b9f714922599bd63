"""Films by their stories; lines are split at each comma, also at those of titles."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FILMS = """\
A fish looks for his son,Finding Nemo,2003
Two bandits flee to Bolivia,Butch, the Kid and the Gang,1969
A robot cleans the earth alone,Wall-E,2008
A bounty hunter rides for gold,The Good, the Bad and the Ugly,1966
A shark empties the beaches,Jaws,1975
A man falls in love over the phone,Her,2013
A family hides from what hears,A Quiet Place,2018
Four lives are told in one night,Crazy, Stupid, Tired,2011
A boxer gets one chance,Rocky,1976
A girl meets spirits in a bath house,Spirited Away,2001
"""


class Films(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = [line.split(",") for line in FILMS.splitlines()]
        return [{"prompt": f"Which film is it? {story}. Its whole title.", "title": title} for story, title, *_ in rows]

    @reward
    def right(self, completion, title):
        return float(answer_text(completion).strip() == title)

    def solve(self, row):
        return row["title"]
