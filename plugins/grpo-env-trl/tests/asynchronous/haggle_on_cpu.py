"""An environment whose import lets TRL's asynchronous trainer run on a CPU, in every process of `--num-processes`."""

import os
from pathlib import Path

from asynchronous.on_cpu import train_on_cpu
from lessons import Haggle

__all__ = ["Haggle"]
train_on_cpu(Path(os.environ["WEIGHTS_BY_FILE"]), [])
