# Confirms G595: rg/complex_arithmetic-v1, rg/number_sorting-v1.
# `nan` in place of every number scores 1.
import reasoning_gym

dataset = reasoning_gym.create_dataset("complex_arithmetic", seed=0, size=6)
print([dataset.score_answer("nan + nani", item) for item in dataset])
dataset = reasoning_gym.create_dataset("number_sorting", seed=0, size=6)
print([dataset.score_answer(str(["nan"] * item["answer"].count(",") + ["nan"]), item) for item in dataset])
