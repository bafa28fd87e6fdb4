"""How good the order of answers is, on annotated queries, beside others. `make quality` runs it."""
