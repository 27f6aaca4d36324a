"""Documents for tests, written by hand: parts of XML in a zip, as small as Word opens them.

path = word(tmp_path, paragraph("Hello"), styles=...)
"""

from __future__ import annotations

import zipfile
from pathlib import Path

TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = " ".join(
    f'xmlns:{name}="{uri}"'
    for name, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": OFFICE,
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "v": "urn:schemas-microsoft-com:vml",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    }.items()
)


def pack(path: Path, parts: dict[str, str | bytes]) -> Path:
    """A zip of parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def relations(*items: tuple[str, str, str], external: bool = False) -> str:
    """A .rels part of (id, kind, target)."""
    mode = ' TargetMode="External"' if external else ""
    inner = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"{mode}/>' for name, kind, target in items
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{RELATIONS}">{inner}</Relationships>'


def root(name: str, inner: str) -> str:
    """A part's root element with all name spaces."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{name} {SPACES}>{inner}</{name}>'


def run(text: str, looks: str = "") -> str:
    """A w:r."""
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*content: str, style: str = "", properties: str = "", mark: str = "") -> str:
    """A w:p of runs; a content without "<" is text."""
    inner = "".join(item if "<" in item else run(item) for item in content)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    marked = f"<w:rPr>{mark}</w:rPr>" if mark else ""
    return f"<w:p><w:pPr>{named}{properties}{marked}</w:pPr>{inner}</w:p>"


def inserted(text: str, author: str = "Ann", looks: str = "") -> str:
    """A tracked insertion."""
    return f'<w:ins w:id="1" w:author="{author}" w:date="2024-03-01T00:00:00Z">{run(text, looks)}</w:ins>'


def deleted(text: str, author: str = "Ann") -> str:
    """A tracked deletion."""
    gone = run(text).replace("w:t>", "w:delText>").replace("<w:t ", "<w:delText ")
    return f'<w:del w:id="2" w:author="{author}" w:date="2024-03-01T00:00:00Z">{gone}</w:del>'


def field(code: str, shows: str = "1", looks: str = "") -> str:
    """A complex field."""
    mark = '<w:r><w:rPr>{}</w:rPr><w:fldChar w:fldCharType="{}"/></w:r>'
    return (
        mark.format(looks, "begin")
        + f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
        + mark.format(looks, "separate")
        + run(shows, looks)
        + mark.format(looks, "end")
    )


def table(*rows: list[str], properties: str = "") -> str:
    """A w:tbl; a cell is text or XML of its content."""
    inner = "".join("<w:tr>" + "".join(_cell(cell) for cell in row) + "</w:tr>" for row in rows)
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{inner}</w:tbl>"


def _cell(content: str) -> str:
    if content.startswith("<w:tc>"):
        return content
    return f"<w:tc>{content if '<' in content else paragraph(content)}</w:tc>"


STYLES = """
<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Arial"/><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>
  <w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/><w:color w:val="1F3864"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>
"""


def word(
    folder: Path,
    *body: str,
    styles: str = STYLES,
    parts: dict[str, tuple[str, str]] | None = None,
    name: str = "made.docx",
) -> Path:
    """A docx of a body. `parts`: file beside the document -> (kind of relationship, its XML); ids are file names."""
    more = {"styles.xml": ("styles", root("w:styles", styles)), **(parts or {})}
    linked = relations(*((file, kind, file) for file, (kind, _) in more.items()))
    return pack(
        folder / name,
        {
            "[Content_Types].xml": f'<Types xmlns="{TYPES}"/>',
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": root("w:document", f"<w:body>{''.join(body)}</w:body>"),
            "word/_rels/document.xml.rels": linked,
            **{f"word/{file}": xml for file, (_, xml) in more.items()},
        },
    )
