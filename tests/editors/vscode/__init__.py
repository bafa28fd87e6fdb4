"""What it takes to drive the VS Code extension in a real workbench: its tools, its server, its window."""
