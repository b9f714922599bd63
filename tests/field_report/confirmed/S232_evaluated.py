# Confirms S232: rg/binary_matrix-v1, rg/countdown-v1, rg/intermediate_integration-v1, rg/n_queens-v1,
# rg/polynomial_multiplication-v1, rg/puzzle24-v1, rg/simple_integration-v1, rg/spiral_matrix-v1,
# rg/string_insertion-v1.
# The scorer runs the model's answer as Python: it calls `eval`, or sympy's `parse_expr`.
import contextlib
import sys

import reasoning_gym

NAMES = "binary_matrix countdown intermediate_integration n_queens polynomial_multiplication puzzle24"
for name in [*NAMES.split(), "simple_integration", "spiral_matrix", "string_insertion"]:
    dataset = reasoning_gym.create_dataset(name, seed=0, size=1)
    with contextlib.suppress(Exception):
        dataset.score_answer("__import__('sys').modules.__setitem__('ran', 1)", dataset[0])
    print(name, "ran it" if sys.modules.pop("ran", None) else "did not run it")
