"""Extras of the `envwheel` distribution.

In a checkout `envwheel[swe]` is the folder ./plugins/swe, so that plain pip installs it before anything is published.
In a release (`ENVWHEEL_RELEASE=1`) it is `envwheel-swe==VERSION`.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

DOMAINS = ("swe", "office")
LIBRARIES = {
    # genai-prices is a list of prices, 3 MB, on the HTTP library that both SDKs bring; it works offline.
    "openai": ["openai>=1.60", "genai-prices>=0.1"],
    "anthropic": ["anthropic>=2", "genai-prices>=0.1"],
    "local": ["xllamacpp>=2026.1"],
    "import": ["pyyaml>=6"],
    # MinHash in Rust, without dependencies (datasketch brings numpy and scipy). No part of the core: its wheels are
    # made for each Python version, and few need it.
    "duplicates": ["rensa>=0.5,<1"],
}


class CustomMetadataHook(MetadataHookInterface):
    """Fills in `optional-dependencies`."""

    def update(self, metadata: dict[str, Any]) -> None:
        extras = {domain: [self._requirement(domain, metadata["version"])] for domain in DOMAINS}
        extras |= LIBRARIES
        extras["all"] = [requirement for group in extras.values() for requirement in group]
        metadata["optional-dependencies"] = extras

    def _requirement(self, domain: str, version: str) -> str:
        name, folder = f"envwheel-{domain}", Path(self.root, "plugins", domain.replace("-", "_"))
        if folder.is_dir() and not os.environ.get("ENVWHEEL_RELEASE"):
            return f"{name} @ {folder.as_uri()}"
        return f"{name}=={version}"
