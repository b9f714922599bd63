"""What a model may call: a tool, a toolbox, and the JSON Schemas of both."""
