"""The operations on threads, in a catalog of their own."""

from hansard.checkpoints.limits import CheckpointQuotas
from hansard.checkpoints.threads import contract, queries
from hansard.checkpoints.threads.commands import Keeping, copy_thread, delete_runs
from hansard.kernel.operation import Capability, Operation, Request, Result, Run


def capability(quotas: CheckpointQuotas | None = None) -> Capability:
    """Make the operations, for an application on a store that knows the checkpoints' views."""
    keeping = Keeping(quotas or CheckpointQuotas())
    looking = queries.Looking(keeping.memory)
    return Capability(
        "threads",
        (
            _begins("thread_put_step", contract.PutStep, contract.StepPutAnswer, keeping.put_step),
            _begins(
                "thread_put_writes", contract.PutWrites, contract.DoneAnswer, keeping.put_writes
            ),
            _goes_on(
                "thread_put_next_step", contract.PutStep, contract.StepPutAnswer, keeping.put_step
            ),
            _goes_on(
                "thread_put_next_writes",
                contract.PutWrites,
                contract.DoneAnswer,
                keeping.put_writes,
            ),
            _begins("thread_copy", contract.CopyThread, contract.DoneAnswer, copy_thread),
            _goes_on(
                "thread_delete", contract.DeleteThread, contract.DoneAnswer, keeping.delete_thread
            ),
            _goes_on(
                "thread_prune", contract.PruneThread, contract.DoneAnswer, keeping.prune_thread
            ),
            _goes_on("thread_delete_runs", contract.DeleteRuns, contract.DoneAnswer, delete_runs),
            _reads(
                "thread_get_step", contract.GetStep, contract.StepsFoundAnswer, looking.get_step
            ),
            _reads(
                "thread_list_steps",
                contract.ListSteps,
                contract.StepsFoundAnswer,
                queries.list_steps,
            ),
            _reads(
                "thread_contents",
                contract.GetContents,
                contract.ContentsAnswer,
                looking.get_contents,
            ),
        ),
    )


def _begins(name: str, request: type[Request], result: type[Result], run: Run) -> Operation:
    return Operation(
        name,
        f"{run.__doc__}",
        request,
        result,
        run,
        writes=True,
        role="agent",
        session="begins",
        creates_session=True,
        reopens_session=True,
        repeatable=True,
    )


def _goes_on(name: str, request: type[Request], result: type[Result], run: Run) -> Operation:
    """Declare a write under the session that the thread has, which is not looked up again."""
    return Operation(
        name,
        f"{run.__doc__}",
        request,
        result,
        run,
        writes=True,
        role="agent",
        session="none",
        repeatable=True,
    )


def _reads(name: str, request: type[Request], result: type[Result], run: Run) -> Operation:
    return Operation(name, f"{run.__doc__}", request, result, run, writes=False, session="none")
