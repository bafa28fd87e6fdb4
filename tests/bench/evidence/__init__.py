"""What sessions save, and that nothing they withhold is stale: on a repository's own history, and on random edits."""
