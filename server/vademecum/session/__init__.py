"""What belongs to one conversation: values that are kept for a while in memory, and the history of the chat."""
