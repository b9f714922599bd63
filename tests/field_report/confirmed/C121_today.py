# Confirms C121: rg/time_intervals-v1.
# Items have the date of today, which depends on the time zone.
import os
import time

import reasoning_gym

made = []
for zone in ("Pacific/Kiritimati", "Pacific/Midway"):
    os.environ["TZ"] = zone
    time.tzset()
    made.append(reasoning_gym.create_dataset("time_intervals", seed=0, size=2)[1])
print("the same question:", made[0]["question"] == made[1]["question"])
print("the same metadata:", made[0]["metadata"] == made[1]["metadata"])
