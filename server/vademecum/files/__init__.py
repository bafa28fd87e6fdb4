"""What is read from a workspace, what is not, and what changed: the ground under search and evidence."""
