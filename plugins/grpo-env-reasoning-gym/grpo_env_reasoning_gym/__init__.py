"""Every dataset of reasoning-gym as an environment for GRPO: `rg/chain_sum-v1`, `rg/sudoku-v1` and a hundred more."""
