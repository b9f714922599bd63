"""Training while episodes go on: TRL's `AsyncGRPOTrainer`, fed by a worker that plays them against a vLLM server."""
