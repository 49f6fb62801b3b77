"""Reads about threads."""

from dataclasses import dataclass
from itertools import islice

from hansard.checkpoints.threads import contract
from hansard.checkpoints.threads.limits import LOOK_BYTES_MAX
from hansard.checkpoints.threads.reading import (
    contents_of,
    contents_within,
    find_step,
    newest_first,
    place_of,
    places_of,
    whole_step,
)
from hansard.checkpoints.threads.write_cache import Memory
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context


@dataclass(frozen=True, slots=True)
class Looking:
    """Looks at what threads hold, with what this process still has of it."""

    memory: Memory

    def get_step(self, request: contract.GetStep, context: Context) -> contract.StepsFoundAnswer:
        """Give one step with its values, or none."""

        def work(tx: ReadTx) -> contract.StepsFoundAnswer:
            place = place_of(tx, request.thread, request.ns)
            found = place and find_step(tx, place, request.id)
            if not place or not found:
                return contract.StepsFoundAnswer(steps=[], seq=tx.head().seq)
            step = whole_step(tx, context.store.kinds, place, found)
            contents = contents_of(tx, step.values.values(), step.spares, self.memory)
            return contract.StepsFoundAnswer(steps=[step], contents=contents, seq=tx.head().seq)

        return context.read(work)

    def get_contents(
        self, request: contract.GetContents, context: Context
    ) -> contract.ContentsAnswer:
        """Give values by their digests, in this order; of many the first, or a way down to them."""

        def work(tx: ReadTx) -> contract.ContentsAnswer:
            asked = request.digests, request.spares, self.memory
            found, ways = contents_within(tx, *asked, bytes_max=LOOK_BYTES_MAX)
            return contract.ContentsAnswer(contents=found, ways=ways)

        return context.read(work)


def list_steps(request: contract.ListSteps, context: Context) -> contract.StepsFoundAnswer:
    """List steps, those with the highest ids first, without their values."""
    kinds = context.store.kinds

    def work(tx: ReadTx) -> contract.StepsFoundAnswer:
        places = places_of(tx, request.thread, request.ns)
        if request.id is not None or request.latest:
            hits = [(place, find_step(tx, place, request.id)) for place in places]
            chosen = [(place, found) for place, found in hits if found]
        else:
            steps = newest_first(tx, places, request.after, request.limit)
            chosen = list(islice(steps, request.limit))
        shown = [whole_step(tx, kinds, place, found) for place, found in chosen]
        return contract.StepsFoundAnswer(steps=shown, seq=tx.head().seq)

    return context.read(work)
