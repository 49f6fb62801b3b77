"""Connecting hosts: what their configuration should become, and writing it.

`jsonc` and `toml_text` edit a text and leave the rest of it alone; `places` says where each host
keeps what; `entries` and `hooks` say what should stand there; `planning` puts it together, all of
it pure. `kept` and `files` touch the disk.
"""
