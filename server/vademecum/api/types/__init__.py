"""The params and results of every request, as they go over the wire (in camelCase there)."""
