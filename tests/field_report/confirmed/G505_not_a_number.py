# Confirms G505: rg/complex_arithmetic-v1.
# `nan` is within the tolerance of every number.
import reasoning_gym

dataset = reasoning_gym.create_dataset("complex_arithmetic", seed=0, size=6)
print("right:", [item["answer"] for item in dataset])
print("nan:", [dataset.score_answer("nan", item) for item in dataset])
