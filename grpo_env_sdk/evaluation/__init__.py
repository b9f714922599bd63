"""Evaluation of a policy on an environment: the plan, the run, metrics, statistics, comparison and rescoring."""
