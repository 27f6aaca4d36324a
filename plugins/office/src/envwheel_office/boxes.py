"""The base images of the domain: where work is done, where it is judged, where environments are written.

Each is a Dockerfile in images/, with the Python packages that its `/usr/bin/python3 -I` finds. The versions are pinned,
dependencies too: another version would read, compute or write otherwise.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from envwheel.api import BaseImage

WORK, VERIFIER, AUTHOR = "envwheel/office:lite", "envwheel/office:full", "envwheel/office:author"

DOCUMENTS = (
    "openpyxl==3.1.5",
    "et_xmlfile==2.0.0",
    "xlsxwriter==3.3.1",
    "python-docx==1.2.0",
    "python-pptx==1.0.2",
    "lxml==6.1.3",
    "typing_extensions==4.16.0",
    "pillow==13.0.0",
    "reportlab==5.1.0",
    "charset-normalizer==3.5.3",
    "pypdf==7.1.1",
    "pdfplumber==0.11.10",
    "pdfminer.six==20260107",
    "pypdfium2==5.15.2",
    "cryptography==50.0.2",
    "cffi==2.1.1",
    "pycparser==3.12",
)
"""What reads and writes documents."""
ENGINES = (
    "ironcalc==0.9.1",
    "formualizer==0.13.0",
    "pydantic==2.14.4",
    "pydantic_core==2.50.5",
    "annotated-types==0.8.0",
    "typing-inspection==0.4.5",
)
"""What the verifier computes with, and what reads its plan."""
DATA = ("Faker==40.63.0",)
"""What an author makes up names with."""


def base_images() -> list[BaseImage]:
    """In the order in which one starts from another."""
    folder = Path(str(files("envwheel_office"))) / "images"
    work, verifier, author = ((folder / name / "Dockerfile").read_text("utf-8") for name in ("lite", "full", "author"))
    return [
        BaseImage(WORK, work, wheels=DOCUMENTS),
        BaseImage(VERIFIER, verifier, context=folder / "full", role="verifier", wheels=ENGINES),
        BaseImage(AUTHOR, author, role="author", wheels=DATA),
    ]
