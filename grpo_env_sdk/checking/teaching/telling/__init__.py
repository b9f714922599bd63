"""Whether the environment tells what the model has to work out: replies, tools, schemas, users."""
