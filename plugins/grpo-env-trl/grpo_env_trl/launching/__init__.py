"""`--num-processes`: the processes of a training started by one command, and ended together."""
