"""`python -m grpo_env_sdk` is `grpo-env`."""

import sys

from grpo_env_sdk.cli import main

sys.exit(main())
