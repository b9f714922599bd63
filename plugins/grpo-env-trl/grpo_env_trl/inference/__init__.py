"""A model in this process as a policy: batches, sampling, and lending the live model to scorers."""
