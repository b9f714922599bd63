# Confirms G505: rg/puzzle24-v1.
# Any four numbers that make 24 score 1, also if they are not the given numbers.
import reasoning_gym

dataset = reasoning_gym.create_dataset("puzzle24", seed=0, size=6)
print("to be used:", [item["metadata"]["numbers"] for item in dataset])
print("3*(3 + 10 - 5):", [dataset.score_answer("3*(3 + 10 - 5)", item) for item in dataset])
