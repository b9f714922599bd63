"""One training from settings to a trained model: preflight, the run's folder, the trainer, the report."""
