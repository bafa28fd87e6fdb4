"""Evidence references in whatever text the editor shows, by standard LSP: links, hover, definition, diagnostics, fixes.

Each feature is a file with `register`; what they share is `snapshot` (a document as it is now), `judging` (which
references are in it, and what became of their lines) and `watching` (telling the client when that changes).
"""
