"""One file a command: `describe` says what it takes, `run` does it. `vademecum.cli.main` lists them."""
