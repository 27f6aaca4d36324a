"""The one version of all in-repo distributions."""

__version__ = "0.1.0"
