"""A trained model as a separate folder, with a model card."""
