"""Random histories of agents and people, held against the model after every step."""

import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hansard.kernel.blob import digest_of
from tests.recorder.undo_hands import Hand, Json
from tests.recorder.undo_model import CELLS, Held, Model, Rev, State

PATHS = ("a", "b", "c", "d/e", "d/f", "g/h/i")
MODES = (0o644, 0o600, 0o755, 0o640)
SECRET_SHARE = 0.08

Deed = Callable[[], str]


class Player:
    """Does random things through some hands and beside them, and remembers what must be."""

    def __init__(
        self, hands: Sequence[Hand], folder: Path, *, seed: int, has_real_clock: bool
    ) -> None:
        umask = os.umask(0)
        os.umask(umask)
        self.model = Model(0o644 & ~umask, has_real_clock)
        self.hands = hands
        self.folder = folder
        self.done: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._sessions: dict[int, str] = {}
        self._written = 0
        self._step = 0
        self._undo: tuple[str, int] | None = None
        """The entry by which the last thing that went back is taken back, and its group."""
        self._deeds: dict[Deed, int] = {
            self._edit: 26, self._create: 14, self._delete: 6, self._move: 8, self._batch: 8,
            self._person_writes: 14, self._person_chmods: 6, self._person_deletes: 3,
            self._person_renames: 3, self._undo_entry: 12, self._undo_session: 2,
            self._undo_last: 10, self._restore_path: 5, self._restore_session: 4,
            self._keep_others: 2,
        }  # fmt: skip

    def play(self, steps: int) -> None:
        """Do so many things that something comes of."""
        while steps:
            self._step += 1
            [deed] = self._chance.choices(list(self._deeds), list(self._deeds.values()))
            what = deed()
            if what:
                steps -= 1
                self.done[what] += 1
                self._check(what)

    # Agents.

    def _create(self) -> str:
        free = [path for path in PATHS if path not in self.model.disk]
        if not free:
            return ""
        path, held = self._chance.choice(free), Held(self._cells(), self.model.new_mode)
        hand, session = self._someone()
        text = held.content.decode()
        answer = hand.call("file_op", action="create", path=path, content=text)
        self._learn(answer, self.model.do(session, path, held))
        return "create"

    def _edit(self) -> str:
        if (path := self._there()) is None:
            return ""
        before = self.model.disk[path]
        after = self._edited(before)
        hand, session = self._someone()
        if self._chance.random() < 0.5:
            pairs = zip(before.cells, after.cells, strict=True)
            edits = [{"old": old, "new": new} for old, new in pairs if old != new]
            answer = hand.call("file_op", action="edit", path=path, edits=edits)
        else:
            text = after.content.decode()
            answer = hand.call("file_op", action="edit", path=path, content=text)
        self._learn(answer, self.model.do(session, path, after))
        return "edit"

    def _delete(self) -> str:
        if (path := self._there()) is None:
            return ""
        hand, session = self._someone()
        answer = hand.call("file_op", action="delete", path=path)
        self._learn(answer, self.model.do(session, path, None))
        return "delete"

    def _move(self) -> str:
        free = [path for path in PATHS if path not in self.model.disk]
        if (path := self._there()) is None or not free:
            return ""
        to = self._chance.choice(free)
        hand, session = self._someone()
        answer = hand.call("file_op", action="move", path=path, to=to)
        self._learn(answer, self.model.move(session, path, to))
        return "move"

    def _batch(self) -> str:
        paths = self._chance.sample(PATHS, self._chance.randint(2, 4))
        hand, session = self._someone()
        self.model.groups += 1
        group = self.model.groups
        ops: list[Json] = []
        revs: list[Rev] = []
        for path in paths:
            held = self.model.disk.get(path)
            after: State = Held(self._cells(), self.model.new_mode)
            if held is not None:
                after = None if self._chance.random() < 0.3 else self._edited(held)
            action = "delete" if after is None else "edit" if held else "create"
            content = {"content": after.content.decode()} if after else {}
            ops.append({"path": path, "action": action, **content})
            revs += self.model.do(session, path, after, group=group, busy=paths)
        self._learn(hand.call("file_op", ops=ops), revs)
        return "batch"

    # People.

    def _person_writes(self) -> str:
        path = self._chance.choice(PATHS)
        held = self.model.disk.get(path)
        after = self._edited(held) if held else Held(self._cells(), self.model.new_mode)
        self._later()
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(after.content)
        self.model.outside(path, after, self._step)
        return "a person writes"

    def _person_chmods(self) -> str:
        if (path := self._there()) is None:
            return ""
        held = self.model.disk[path]
        mode = self._chance.choice([mode for mode in MODES if mode != held.mode])
        self._later()
        (self.folder / path).chmod(mode)
        self.model.outside(path, Held(held.cells, mode), self._step)
        return "a person chmods"

    def _person_deletes(self) -> str:
        if (path := self._there()) is None:
            return ""
        self._later()
        (self.folder / path).unlink()
        self.model.outside(path, None, self._step)
        return "a person deletes"

    def _person_renames(self) -> str:
        free = [path for path in PATHS if path not in self.model.disk]
        if (path := self._there()) is None or not free:
            return ""
        to = self._chance.choice(free)
        self._later()
        (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).rename(self.folder / to)
        held = self.model.disk[path]
        self.model.outside(path, None, self._step)
        self.model.outside(to, held, self._step)
        return "a person renames"

    # Going back.

    def _undo_entry(self) -> str:
        revs = [rev for rev in self.model.all_revs() if rev.source != "found"]
        if not revs:
            return ""
        rev = self._chance.choice(sorted(revs, key=lambda one: one.seq)[-40:])
        return self._take_back(f"undo of {rev.source}", self._whole(rev), entry=f"s:{rev.seq}")

    def _undo_last(self) -> str:
        if self._undo is None:
            return ""
        begun, group = self._undo
        self._undo = None
        revs = [rev for rev in self.model.all_revs() if rev.group == group]
        return self._take_back("undo of the last", self._whole(revs[0]), entry=begun)

    def _undo_session(self) -> str:
        session = self._some_session()
        revs = [rev for rev in self.model.all_revs() if rev.session == session]
        return self._take_back("undo of a session", revs, of_session=session)

    def _keep_others(self) -> str:
        session, point = self._some_session(), self._some_point()
        if session is None or point is None:
            return ""
        own = [rev for rev in self.model.all_revs() if rev.session == session and rev.seq > point]
        asked = {"of_session": session, "to": "after", "point": f"s:{point}", "keep_others": True}
        return self._take_back("restore keeping others", own, name="restore", **asked)

    def _take_back(self, what: str, revs: list[Rev], *, name: str = "undo", **asked: Any) -> str:
        if not revs:
            return ""
        then, actions = self.model.undo(revs)
        seqs = {rev.seq for rev in revs}
        left = [rev for rev in revs if not self.model._is_gone(rev, revs, seqs)]
        hand, session = self._someone()
        shown = hand.call(name, **asked, preview=True, limit=1000)
        answer = hand.call(name, **asked)
        self._require_figures(shown, answer, actions)
        made = self._apply(answer, session, then)
        for new in (rev for rev in made if rev.source == "restored"):
            for old in left:
                if old.path == new.path:
                    old.takers.append(new)
        self._learn(answer, made)
        return what

    def _require_figures(self, shown: Json, answer: Json, actions: dict[str, str]) -> None:
        assert "refused" not in answer, answer
        assert shown["counts"] == answer["counts"]
        counts: Counter[str] = Counter(answer["counts"])
        moves = counts.pop("move", 0)
        counts["create"] += moves
        counts["delete"] += moves
        counts["left"] = counts.pop("clash", 0) + counts.pop("skipped", 0)
        assert +counts == Counter(actions.values()), (answer, actions)

    def _apply(self, answer: Json, session: str, then: dict[str, State]) -> list[Rev]:
        """Have the model do what the answer says was done, as far as it agrees with that."""
        self.model.groups += 1
        made: list[Rev] = []
        group = self.model.groups
        for step in answer["files"]:
            path, action = step["path"], step["action"]
            if action == "move":
                assert then[step["to"]] == self.model.disk[path], step
                assert then[path] is None, step
                made += self.model.move(session, path, step["to"], "restored", group=group)
            elif action in ("create", "edit", "delete"):
                made += self.model.do(session, path, then[path], "restored", group=group)
        self._undo = (answer["undo"].split('"')[3], group) if "undo" in answer else None
        return made

    def _restore_path(self) -> str:
        path, point = self._chance.choice(PATHS), self._some_point()
        if path not in self.model.revs or point is None:
            return ""
        hand, session = self._someone()
        asked = {"path": path, "to": "after", "point": f"s:{point}"}
        self._restore((hand, session), {path}, point, session, asked)
        return "restore of a path"

    def _restore_session(self) -> str:
        session, point = self._some_session(), self._some_point()
        if session is None or point is None:
            return ""
        hand, own = self._someone()
        asked = {"of_session": session, "to": "after", "point": f"s:{point}"}
        paths = self.model.touched.get(session, set())
        self._restore((hand, own), paths, point, session, asked)
        return "restore of a session"

    def _restore(
        self, who: tuple[Hand, str], paths: set[str], point: int, session: str, asked: Json
    ) -> None:
        (hand, own), model = who, self.model
        targets = {path: model.standing_at(path, point) for path in paths}
        kept = {path for path in paths if model.is_unnoticed(path, point)}
        then = {path: target.after if target else None for path, target in targets.items()}
        going = {p for p in paths - kept if then[p] != model.disk.get(p)}
        since = {path: target.seq if target else 0 for path, target in targets.items()}
        later = {path: [rev for rev in model.revs[path] if rev.seq > since[path]] for path in going}
        shown = hand.call("restore", **asked, preview=True, limit=1000)
        self._require_named(shown, later, session)
        answer = hand.call("restore", **asked)
        assert "refused" not in answer, answer
        expected = Counter(model._action(path, then[path]) for path in going)
        expected["unchanged"] += len(paths) - len(going)
        assert Counter(answer["counts"]) == +expected, (answer, expected)
        assert shown["counts"] == answer["counts"]
        met = {path: len(model.revs[path]) for path in going}
        made = self._apply(answer, own, then)
        for new in (rev for rev in made if rev.source == "restored"):
            start = met[new.path] - len(later[new.path])
            for old in model.revs[new.path][start:-1]:
                old.takers.append(new)
        self._learn(answer, made)

    def _require_named(self, shown: Json, later: dict[str, list[Rev]], session: str) -> None:
        """Look that a preview names every change of others that it would take away."""
        named = {
            step["path"]: sum(one["count"] for one in step.get("takes_away", []))
            for step in shown["files"]
        }
        for path, revs in later.items():
            others = [rev for rev in revs if rev.stands and rev.session != session]
            is_unmet = self.model.recorded(path) != self.model.disk.get(path)
            assert named[path] == len(others) + is_unmet, (path, shown)

    # What is known of it.

    def _learn(self, answer: Json, revs: list[Rev]) -> None:
        """Hold what was recorded against what must have been, and note where it stands."""
        assert "refused" not in answer, answer
        for path in dict.fromkeys(rev.path for rev in revs):
            new = [rev for rev in revs if rev.path == path]
            told = self.hands[0].revisions(path)
            assert len(told) == len(self.model.revs[path]), (path, told)
            for rev, row in zip(new, told[-len(new) :], strict=True):
                rev.seq = row["seq"]
                after = row["after"] or {}
                found = (row["source"], after.get("blob") or after.get("sha256"), after.get("mode"))
                held = (digest_of(rev.after.content), rev.after.mode) if rev.after else (None, None)
                assert found == (rev.source, *held), (path, rev, row)
        head = self.hands[0].head()
        known = max(self.model.step_of, default=0)
        self.model.step_of |= dict.fromkeys(range(known + 1, head + 1), self._step)

    def _check(self, what: str) -> None:
        """Compare every byte and every mode on disk."""
        found = {
            path.relative_to(self.folder).as_posix(): (
                path.read_bytes(), path.stat().st_mode & 0o777)
            for path in self.folder.rglob("*") if path.is_file()
        }  # fmt: skip
        wanted = {path: (held.content, held.mode) for path, held in self.model.disk.items()}
        assert found == wanted, f"step {self._step}: {what}"

    def _whole(self, rev: Rev) -> list[Rev]:
        """Give all that goes with a revision: its batch, its restore, the other end of a move."""
        if rev.group:
            return [
                one
                for one in self.model.all_revs()
                if one.group == rev.group and one.source == rev.source
            ]
        return [one for one in self.model.all_revs() if one.seq == rev.seq]

    def _someone(self) -> tuple[Hand, str]:
        number = self._chance.randrange(len(self.hands))
        hand = self.hands[number]
        if number not in self._sessions:
            answer = hand.call("audit_event", type="note", description="Hello")
            self._sessions[number] = answer["session_id"]
        return hand, self._sessions[number]

    def _some_session(self) -> str | None:
        return self._chance.choice(list(self._sessions.values())) if self._sessions else None

    def _some_point(self) -> int | None:
        seqs = sorted(rev.seq for rev in self.model.all_revs())
        return self._chance.choice(seqs[-60:]) if seqs else None

    def _there(self) -> str | None:
        return self._chance.choice(sorted(self.model.disk)) if self.model.disk else None

    def _cells(self) -> tuple[str, ...]:
        return tuple(self._line() for _ in range(CELLS))

    def _edited(self, held: Held) -> Held:
        cells = list(held.cells)
        for place in self._chance.sample(range(CELLS), self._chance.randint(1, 2)):
            cells[place] = self._line()
        return Held(tuple(cells), held.mode)

    def _line(self) -> str:
        self._written += 1
        if self._chance.random() < SECRET_SHARE:
            return f"{self._written} gh" + f"p_{self._written:036d}"
        return f"line {self._written}."

    def _later(self) -> None:
        """Wait until the file system's clock, which may lag, has passed the last entry's time."""
        if not self.model.has_real_clock:
            return
        self.hands[0].call("list_projects")
        probe = self.folder.parent / "probe"
        first = None
        while True:
            probe.write_bytes(b"")
            now = probe.stat().st_ctime_ns
            first = first or now
            if now > first:
                return
