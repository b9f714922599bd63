"""vLLM servers that a training starts for itself: their GPUs, their command, their life."""
