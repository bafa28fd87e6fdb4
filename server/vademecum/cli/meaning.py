"""How far search by meaning is, in words."""

from vademecum.api.types.search import ModelReport
from vademecum.search.types import VectorsState


def meaning(model: ModelReport) -> str:
    """Which model finds by meaning, and how much of it; or why none does."""
    if model.state is VectorsState.NONE:
        return f"words alone: {model.reason}" if model.reason is not None else "words alone"
    if model.name is None:
        return model.reason or "words alone until they are all indexed; vectors follow"
    text = f"{model.name}: {model.embedded:,} of {model.total:,} texts have vectors"
    if model.failed:
        text += f", {model.failed:,} could not be embedded and are tried again"
    if model.former is not None:
        text += f"; before it was {model.former}"
    return text if model.reason is None else f"{text}; {model.reason}"
