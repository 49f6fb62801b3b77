"""The waist: every way of asking goes through `Application.call`."""
