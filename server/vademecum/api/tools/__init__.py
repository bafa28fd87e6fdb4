"""What a model may call: each tool once, for every face. `table` lists them, `calling` offers and runs them."""
