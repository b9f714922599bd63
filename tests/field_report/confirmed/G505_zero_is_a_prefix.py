# Confirms G505: rg/coin_flip-v1.
# `0` scores 1 for every probability below 1: it is the first character of the right answer.
import reasoning_gym

dataset = reasoning_gym.create_dataset("coin_flip", seed=0, size=100)
print("right:", [item["answer"] for item in dataset][:6])
print("0:", [dataset.score_answer("0", item) for item in dataset][:6])
print("of 100 items:", sum(dataset.score_answer("0", item) == 1 for item in dataset))
