"""The base of our pydantic models: declared in place, built when first used."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A model that costs nothing until something is checked or written by it.

    A process uses few of the hundreds of models, and its user would wait for all the others.
    Building is guarded by a lock of pydantic's, so any thread may be the first.
    """

    model_config = ConfigDict(defer_build=True)


class AnswerPart(Model):
    """Part of an answer: it has the fields that are declared, and no others."""

    model_config = ConfigDict(extra="forbid")
