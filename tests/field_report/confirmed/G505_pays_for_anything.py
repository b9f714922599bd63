# Confirms G505: rg/game_of_life_halting-v1.
# Every answer scores 1.
import reasoning_gym

dataset = reasoning_gym.create_dataset("game_of_life_halting", seed=0, size=6)
print("right:", [item["answer"] for item in dataset])
for answer in ("True", "False", "I do not know"):
    print(repr(answer), [dataset.score_answer(answer, item) for item in dataset])
