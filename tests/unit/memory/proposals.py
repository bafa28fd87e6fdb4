"""What a model proposes to keep, as it may be said in a test."""

from typing import Any

PROPOSAL: dict[str, Any] = {
    "title": "Commit messages in English",
    "content": "The user wants commit messages in English.",
    "description": "The language of commit messages",
    "type": "feedback",
    "scope": "user",
    "category": "Rule",
    "keywords": ["git"],
    "quote": "always write commit messages in English",
    "specific": True,
    "lasting": True,
    "inFiles": False,
    "salience": 4,
}
