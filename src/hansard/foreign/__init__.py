"""What other programs keep, taken over; and what Hansard keeps, written for other programs.

A format is one file in `formats/` that turns what it reads into `items`, and writes nothing. What
takes them over is the same for all of them: ordinary operations, by an actor that says where it
came from, each with the item that it takes over (`kernel/origin.py`).
"""
