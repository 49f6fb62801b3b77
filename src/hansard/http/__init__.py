"""The page and its API: `Application.call` over HTTP for the person at this machine."""
