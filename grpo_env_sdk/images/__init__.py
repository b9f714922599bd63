"""Images: one as PNG, and those that a run keeps."""
