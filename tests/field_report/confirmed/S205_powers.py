# Confirms S205: rg/binary_matrix-v1, rg/n_queens-v1, rg/spiral_matrix-v1, rg/string_insertion-v1.
# A few characters keep the scorer busy for as long as they choose: with two more digits, it never returns.
import time

import reasoning_gym

for name in ("binary_matrix", "n_queens", "spiral_matrix", "string_insertion"):
    dataset, took = reasoning_gym.create_dataset(name, seed=0, size=1), []
    for answer in ("9**9**6", "9**9**7"):
        started = time.process_time()
        dataset.score_answer(answer, dataset[0])
        took.append(time.process_time() - started)
    print(name, "takes over ten times as long for a larger power" if took[1] > 10 * took[0] else "does not care")
