"""Documents as pictures of their pages: LibreOffice makes PDF, poppler PNG. Run in a box of the verifier's image."""

from __future__ import annotations

from envwheel.api import Rendering
from envwheel_office.boxes import VERIFIER

SHOWN = (".xlsx", ".xlsm", ".docx", ".pptx", ".pdf", ".csv", ".txt", ".md")
PAGES, DPI, DOCUMENTS = 12, 70, 60
"""Pages of one document, dots per inch, documents in all."""

SCRIPT = r"""cd "$IN" || exit 1
home=$(mktemp -d)
cp -r /opt/office-profile "$home/profile"
# Charts are objects, too, which the verifier's profile leaves out; macros and links stay switched off.
sed -i /DisableActiveContent/d "$home/profile/user/registrymodifications.xcu"
for name in *; do
  number=$((number + 1)); [ "$number" -gt {documents} ] && break
  [ -f "$name" ] || continue
  base=$(printf %s "$name" | tr -c 'A-Za-z0-9._-' _)
  case "${{name,,}}" in
    *.pdf) cp -- "$name" "$home/$base.pdf" ;;
    *.xlsx|*.xlsm|*.docx|*.pptx|*.csv|*.txt|*.md)
      mkdir "$home/$number"
      HOME=$home timeout 90 soffice "-env:UserInstallation=file://$home/profile" --headless --norestore \
        --convert-to pdf --outdir "$home/$number" "./$name" >/dev/null 2>&1
      mv "$home/$number"/*.pdf "$home/$base.pdf" 2>/dev/null ;;
    *) continue ;;
  esac
  [ -f "$home/$base.pdf" ] && timeout 60 pdftoppm -png -r {dpi} -l {pages} "$home/$base.pdf" "$OUT/$base" 2>/dev/null
done
exit 0
"""


def rendering(files: tuple[str, ...]) -> Rendering | None:
    """How `files` are shown; None when none of them is a document."""
    if not any(name.lower().endswith(SHOWN) for name in files):
        return None
    return Rendering(VERIFIER, SCRIPT.format(pages=PAGES, dpi=DPI, documents=DOCUMENTS))
