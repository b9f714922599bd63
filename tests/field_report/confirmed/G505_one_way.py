# Confirms G505: gym/CliffWalking-v1.
# Every seed gives the same task: the same moves are the best ones.
import gymnasium

env = gymnasium.make("CliffWalking-v1")
for seed in range(3):
    env.reset(seed=seed)
    steps = [env.step(action) for action in [0, *[1] * 11, 2]]
    print("seed", seed, "total", sum(step[1] for step in steps), "arrived", steps[-1][2])
