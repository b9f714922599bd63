# Confirms G505: gym/MountainCarContinuous-v0.
# The same pushes reach the goal from every start: nothing has to be observed.
import gymnasium

env = gymnasium.make("MountainCarContinuous-v0")
arrived = 0
for seed in range(20):
    env.reset(seed=seed)
    for push in [1.0] * 42 + [-1.0] * 30 + [1.0] * 34:
        if env.step([push])[2]:
            arrived += 1
            break
print("arrived from", arrived, "of 20 starts")
