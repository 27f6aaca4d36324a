"""Files, notes and settings of some people."""
