"""From settings to everything that a training needs before it starts."""
