"""An environment that ends badly in one of the processes that train."""

import os
import signal
import time
from pathlib import Path

from environments import rows

from grpo_env_sdk import SingleTurnEnv, reward


class Ends(SingleTurnEnv):
    """Scores by length, until the process of this rank, or with -1 any, has scored `after` episodes."""

    scored = 0

    def __init__(self, how="killed", rank=1, after=16):
        self.how, self.rank, self.after = how, rank, after

    def build_dataset(self, tokenizer):
        file = Path(f"pid-{os.environ.get('RANK')}")
        if not file.exists():  # after a call that hangs it is built again, and may be killed meanwhile
            file.write_text(str(os.getpid()))
        return rows(40)

    @reward
    def length(self, completion):
        Ends.scored += 1
        if Ends.scored > self.after and self.rank in (int(os.environ["RANK"]), -1):
            Path("here").touch()
            if self.how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.how == "hangs":
                time.sleep(3600)
            raise ConnectionError("the judge has gone home")
        return len(completion) % 7 / 7
