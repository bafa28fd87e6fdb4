"""Setting up agents and editors: which there are, what they are told, and how their files are changed."""
