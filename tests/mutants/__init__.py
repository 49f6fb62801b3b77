"""Whether a test would notice: small faults are put into the source, one at a time.

`make mutants` draws some from the kernel, the engines and the rules of every capability, runs for
each the tests that reach its line, and prints what no test noticed.
"""
