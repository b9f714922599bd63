# Confirms C126: rg/string_insertion-v1.
# In most strings nothing is to be inserted, so that the question has the answer.
import reasoning_gym

dataset = reasoning_gym.create_dataset("string_insertion", seed=0, size=200)
print("unchanged:", sum(item["answer"] == item["metadata"]["string"] for item in dataset), "of", len(dataset))
