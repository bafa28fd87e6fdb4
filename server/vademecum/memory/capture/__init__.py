"""Capture: what a conversation said that is worth keeping, in stages that are functions of their own."""
