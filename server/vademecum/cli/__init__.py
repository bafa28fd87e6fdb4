"""The terminal face: the same requests as over the wire, asked from a shell and told in text."""
