"""References to exact lines of a file, and verdicts on whether those lines are still what they were."""
