"""Every exception that envwheel raises on purpose, and whose fault it stands for.

    EnvwheelError
    ├── SetupError        the person at the keyboard can mend it: one message, exit code 2
    │   ├── UsageError    a wrong argument, folder or file
    │   ├── ConfigError   envwheel.toml does not say what it must
    │   ├── OrdinaryUser  the command must be started again as root of a user namespace; the command line does so
    │   └── DomainError   an installed domain broke its promise
    ├── InfraError        our side failed (daemon gone, disk full, host too slow); retried, never a reward
    │   └── HostLacks     what is asked for cannot be had on this machine: trying again is no use
    ├── BuildFailed       a candidate's image does not build: the candidate's fault
    ├── BoxGone           the processes in a box, or the box itself, ended under our hands
    └── ModelError        a model gave no usable answer
        ├── ModelUnavailable   endpoint refused, timed out or limited the rate, after retries
        ├── ModelTimeout       no answer within the time that the caller had left
        ├── ContextOverflow    the conversation no longer fits
        └── ModelRefused       the provider refused to answer

A message says what happened, where, and what to do. Failures of a candidate are records, not exceptions that travel:
`BuildFailed` and `BoxGone` are caught by the step that asked.
"""

from __future__ import annotations


class EnvwheelError(Exception):
    """Root of the tree."""

    exit_code = 2


class SetupError(EnvwheelError):
    """Something on this machine or in the request must change; the message says what."""


class UsageError(SetupError):
    """A wrong argument, folder or file."""


class ConfigError(SetupError):
    """A configuration that cannot be used."""


class OrdinaryUser(SetupError):
    """Only a process that is root, of a user namespace at least, can make boxes without a daemon."""


class DomainError(SetupError):
    """A domain plugin that cannot be loaded or whose hook raised or returned something else than promised."""

    def __init__(self, domain: str, distribution: str, version: str, hook: str | None, cause: str) -> None:
        self.domain, self.distribution, self.version, self.hook, self.cause = domain, distribution, version, hook, cause
        where = f"hook `{hook}` " if hook else ""
        super().__init__(
            f"Domain '{domain}' ({distribution} {version}) cannot be used: {where}{cause}. "
            f"Try `envwheel plugin check {domain}`, or install {distribution} again."
        )


class InfraError(EnvwheelError):
    """Our side failed. `cause` is one word for statistics: daemon, disk, timeout, memory, network, host, model."""

    def __init__(self, cause: str, message: str) -> None:
        self.cause = cause
        super().__init__(message)


class HostLacks(InfraError):
    """The engine cannot do here what an environment needs; the message says what to do about it."""

    def __init__(self, message: str) -> None:
        super().__init__("host", message)


class BuildFailed(EnvwheelError):
    """An image did not build within its limits. `log_tail` holds the last lines of the builder."""

    def __init__(self, message: str, log_tail: str = "") -> None:
        self.log_tail = log_tail
        super().__init__(message)


class BoxGone(EnvwheelError):
    """A box stopped while we were using it (killed by its own processes, by the disk watchdog or for memory).

    `reason` is one word: died, disk_limit, memory, lifetime.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class ModelError(EnvwheelError):
    """A model gave no usable answer."""


class ModelUnavailable(ModelError):
    """The endpoint could not be used, after retries."""


class ModelTimeout(ModelError):
    """The answer was not there within `Sampling.timeout_s`, and nothing else was wrong."""


class ContextOverflow(ModelError):
    """The conversation is longer than the model's context."""


class ModelRefused(ModelError):
    """The provider refused to answer."""
