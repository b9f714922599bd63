"""Measuring a policy on an environment: the plan, the run, the metrics, comparing and rescoring."""
