"""Tests that drive real editors."""
