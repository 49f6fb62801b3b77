"""The parts of the engine suite, one for each ability."""
