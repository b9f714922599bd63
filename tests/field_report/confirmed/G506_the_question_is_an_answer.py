# Confirms G506: rg/game_of_life_halting-v1.
# The question itself scores 1.
import reasoning_gym

dataset = reasoning_gym.create_dataset("game_of_life_halting", seed=0, size=6)
print([dataset.score_answer(item["question"], item) for item in dataset])
