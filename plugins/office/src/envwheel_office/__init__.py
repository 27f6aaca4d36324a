"""The `office` domain of envwheel."""
