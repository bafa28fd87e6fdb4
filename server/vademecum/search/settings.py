"""Settings of code search; folded together by `vademecum.settings`, owned here."""

from attrs import field, frozen, validators

from vademecum.embedding.settings import EmbeddingSettings


@frozen
class SearchSettings(EmbeddingSettings):
    """How code is searched and how the index is kept, and which model makes its vectors.

    A value that cannot be used raises ValueError naming the field.
    """

    enabled: bool = True
    """Whether anything is walked, indexed or searched at all."""

    chunk_lines: int = field(default=48, validator=[validators.ge(8), validators.le(400)])
    """Lines a chunk aims at. Between 15 and 80 the public benchmark moves by 0.005, so it is a matter of reading."""

    reconcile_seconds: float = field(default=60.0, validator=[validators.gt(0), validators.le(86_400)])
    """How often the whole folder is compared with the index while it is watched; ten times as often while it is not."""

    debounce_ms: int = field(default=100, validator=[validators.ge(0), validators.le(5000)])
    """How long the indexer waits for more typing before it takes up an unsaved text, in milliseconds."""

    workers: int = field(default=0, validator=[validators.ge(0), validators.le(64)])
    """Processes that help with the first index of a large folder; 0 for one a processor but one, 8 at most."""

    first_answer_ms: int = field(default=1500, validator=[validators.ge(0), validators.le(60_000)])
    """How long a query waits for the first piece of an index when there is none at all, in milliseconds."""
