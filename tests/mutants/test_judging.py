"""Whether tests pass is found out also where a fault changes what their cases are called."""

from pathlib import Path

from tests.mutants import reach
from tests.mutants.judging import Judge, Mutant
from tests.mutants.mutations import mutations

FILE = reach.SOURCE / "kernel" / "transcript.py"
CASE = "tests/mutants/test_mutations.py::test_each_fault_is_put_where_it_belongs[case {}]"


def test_where_a_case_has_another_name_all_cases_of_its_test_are_asked(tmp_path: Path) -> None:
    judge = object.__new__(Judge)  # it only needs a place to run tests from
    judge._place = tmp_path
    [fault, *_] = mutations(FILE.read_text())

    renamed = tuple(CASE.format(number) for number in (1, 2))

    assert judge._passes(Mutant(FILE, fault, renamed, 0.0))
