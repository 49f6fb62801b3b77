"""Lists the copies of a workspace and joins one: for people, not in a model's tool list."""

from functools import partial

from hansard.kernel.model import AnswerPart
from hansard.kernel.operation import Capability, Context, Operation, ProjectRequest, Result, Written
from hansard.kernel.text import Id, counted
from hansard.recorder import limits
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.copies import copies, join


class ListWorkspaces(ProjectRequest):
    """Nothing more is asked."""


class JoinWorkspace(ProjectRequest):
    """The copy to go on from."""

    copy_id: Id


class Copy(AnswerPart):
    """A place where files of the project are recorded."""

    id: str
    name: str | None = None
    """Of its folder, where that is known."""
    is_here: bool
    is_marked: bool
    """Whether it is known wherever it lies, by its Git repository or its file."""
    files: int
    last: str
    parent: str | None = None

    def text(self) -> str:
        """Give one line."""
        here = " (this folder)" if self.is_here else ""
        name = f" {self.name}" if self.name else ""
        came = f", went on from {self.parent[: limits.COPY_SHOWN_CHARS]}" if self.parent else ""
        files = counted(self.files, "file")
        return f"{self.id[: limits.COPY_SHOWN_CHARS]}{name}{here}: {files}, last {self.last}{came}"


class CopiesAnswer(Result):
    """The copies of the project's workspaces, the last worked in first."""

    copies: list[Copy]

    def text(self) -> str:
        """Give a line each."""
        return "\n".join(one.text() for one in self.copies) or "No files are recorded"


class JoinedAnswer(Written):
    """This place goes on from another."""

    copy_id: str
    files: int

    def text(self) -> str:
        """Say so."""
        files = counted(self.files, "file")
        return f"This folder goes on from {self.copy_id[: limits.COPY_SHOWN_CHARS]}: {files}"


def capability(gateway: Gateway) -> Capability:
    """Make the capability for managing copies."""
    listing = Operation(
        "list_workspaces",
        "List the copies of the workspace that are recorded.",
        ListWorkspaces,
        CopiesAnswer,
        partial(list_workspaces, gateway),
        writes=False,
    )
    joining = Operation(
        "join_workspace",
        "Go on in this folder from another copy of it.",
        JoinWorkspace,
        JoinedAnswer,
        partial(join_workspace, gateway),
        writes=True,
        role="agent",
    )
    return Capability("workspaces", (listing, joining), close=gateway.close)


def list_workspaces(gateway: Gateway, request: ListWorkspaces, context: Context) -> CopiesAnswer:
    """List the places that files of the project are recorded in."""
    del request
    here = gateway.identity
    rows = context.read(copies)
    return CopiesAnswer(
        copies=[
            Copy(
                id=row["workspace"],
                name=row["name"],
                is_here=row["workspace"] == here,
                is_marked=bool(row["mark"]),
                files=row["files"],
                last=f"s:{row['seq']}",
                parent=row["parent"],
            )
            for row in rows
        ]
    )


def join_workspace(gateway: Gateway, request: JoinWorkspace, context: Context) -> JoinedAnswer:
    """Go on from another copy."""
    row = join(gateway, context, request.copy_id)
    return JoinedAnswer(copy_id=row["workspace"], files=row["files"])
