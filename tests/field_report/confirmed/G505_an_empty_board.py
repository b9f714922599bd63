# Confirms G505: rg/game_of_life-v1.
# A board without any cell earns nearly all, because each dead cell counts as much as a living one.
import reasoning_gym

dataset = reasoning_gym.create_dataset("game_of_life", seed=0, size=20)
empty = str([[0] * 10] * 10)
print(sum(dataset.score_answer(empty, item) for item in dataset) / 20, "is the mean score of an empty board")
