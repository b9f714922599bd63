"""For all tests of the repository: the same on any machine, whatever else runs there."""

import os
import signal

from hypothesis import HealthCheck, settings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # tests run side by side, and threads that wait for each other burn time
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "any machine", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")
