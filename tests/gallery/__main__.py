"""Writes the page of the gallery."""

from tests.gallery.page import PAGE, gallery_page

PAGE.write_text(gallery_page(), encoding="utf-8")
print(f"Wrote {PAGE}.")
