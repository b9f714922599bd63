"""Whether more than was asked for is as good as gold."""
