# Confirms G505: rg/propositional_logic-v1.
# One conclusion scores 1 on most items, whatever their premises are.
import reasoning_gym

dataset = reasoning_gym.create_dataset("propositional_logic", seed=0, size=100)
conclusion = "(Q \N{LOGICAL OR} P)"
print(conclusion, "of 100 items:", sum(dataset.score_answer(conclusion, item) == 1 for item in dataset))
