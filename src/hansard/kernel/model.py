"""The base of our pydantic models: declared where they stand, built when first used."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A model that costs nothing until something is checked or written by it.

    A process uses few of the hundreds there are, and its user waits for all that it does
    before. Building is guarded by a lock of pydantic's, so any thread may be the first.
    """

    model_config = ConfigDict(defer_build=True)


class AnswerPart(Model):
    """Part of an answer: it has the fields that are declared, and no others."""

    model_config = ConfigDict(extra="forbid")
