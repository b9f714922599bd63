# Confirms C121: rg/codeio-v1, rg/intermediate_integration-v1, rg/isomorphic_strings-v1, rg/knight_swap-v1,
# rg/polynomial_multiplication-v1, rg/ransom_note-v1, rg/word_ladder-v1.
# The same seed gives other items in another process, because they depend on the order of a set.
import os
import subprocess
import sys

CODE = """
import sys, reasoning_gym
dataset = reasoning_gym.create_dataset(sys.argv[1], seed=0, size=200)
for item in map(dataset.__getitem__, [*range(12), 25, 160]):
    print(item["question"], item["answer"])
"""
NAMES = "codeio intermediate_integration isomorphic_strings knight_swap polynomial_multiplication ransom_note"
for name in [*NAMES.split(), "word_ladder"]:
    made = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        made.add(subprocess.check_output([sys.executable, "-c", CODE, name], env=environment))
    print(name, "is the same" if len(made) == 1 else "differs")
