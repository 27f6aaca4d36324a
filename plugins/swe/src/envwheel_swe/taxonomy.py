"""The skills of this domain: id -> title. Every family names the ones that it trains."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SKILLS: Mapping[str, str] = MappingProxyType(
    {
        "files": "files, links and permissions",
        "text": "text processing",
        "git": "version control with git",
        "builds": "compilers and build files",
        "packaging": "Python packages",
        "shell": "shell scripts",
        "data": "structured data and SQLite",
        "services": "services and their configuration",
        "debugging": "finding and mending faults",
        "testing": "writing and using tests",
        "performance": "making slow things fast",
        "security": "permissions, secrets and safe handling of input",
    }
)
