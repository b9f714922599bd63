"""What a training would cost: measured on a few episodes, and computed from the model's config."""
