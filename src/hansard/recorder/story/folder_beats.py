"""Folds many files of one folder into one beat. Pure."""

from collections import Counter
from collections.abc import Sequence

from hansard.recorder import limits
from hansard.recorder.story.answers import Beat

Key = tuple[str, tuple[str, ...]]
"""The type of a beat, and the folder that it is shown under."""

FOLDED = ("file", "outside")
_SUMMED = ("edits", "added", "removed", "failed", "external", "reported", "irreversible", "undone")


def fold(run: Sequence[Beat]) -> list[Beat]:
    """Give a run of beats about files as it is shown: one by one, or by folder if they are many.

    Folders are as deep as they can be without being many themselves.
    """
    if len(run) <= limits.FILES_TOLD_MAX:
        return list(run)
    depth = max(len(_folder(beat)) for beat in run)
    groups = _grouped(run, depth)
    while len(groups) > limits.FOLDERS_TOLD_MAX and depth:
        depth -= 1
        groups = _grouped(run, depth)
    told = [_joined(folder, beats) for (_, folder), beats in groups.items()]
    return sorted(told, key=lambda beat: beat.first_seq)


def _grouped(run: Sequence[Beat], depth: int) -> dict[Key, list[Beat]]:
    groups: dict[Key, list[Beat]] = {}
    for beat in run:
        groups.setdefault((beat.type, _folder(beat)[:depth]), []).append(beat)
    return groups


def _folder(beat: Beat) -> tuple[str, ...]:
    return tuple((beat.path or "").split("/")[:-1])


def _joined(folder: tuple[str, ...], beats: Sequence[Beat]) -> Beat:
    if len(beats) == 1:
        return beats[0]
    actions: Counter[str] = Counter()
    for beat in beats:
        actions.update(beat.actions or {})
    sums = {name: sum(getattr(beat, name) or 0 for beat in beats) for name in _SUMMED}
    codes = dict.fromkeys(code for beat in beats for code in beat.codes or ())
    latest = max(beats, key=lambda beat: beat.last_seq)
    return Beat(
        type="folder",
        path="/".join([*folder, ""]) or "./",
        files=len({beat.path for beat in beats}),
        first_seq=min(beat.first_seq for beat in beats),
        last_seq=latest.last_seq,
        first_at=min(beat.first_at for beat in beats),
        last_at=latest.last_at,
        actions=dict(actions) or None,
        codes=list(codes) or None,
        undone_by=max(beat.undone_by or 0 for beat in beats) or None,
        **{name: number or None for name, number in sums.items()},
    )
