"""Vademecum: the memory and the code search behind AI chats in editors."""

__version__ = "0.1.0"
