"""Holds the links of a built site: links.py FOLDER

Every link, picture and frame of every page must lead to a file of the folder and, after `#`, to an element of that page
with this id; none may lead to another server, but as a link that a reader follows.
"""
import html.parser
import pathlib
import sys
import urllib.parse

root = pathlib.Path(sys.argv[1]).resolve()
LEADS = {"a": "href", "area": "href", "img": "src", "iframe": "src", "script": "src", "link": "href", "source": "src", "video": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.leads = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(given[name] for name in ("id", "name") if given.get(name))
        if given.get(LEADS.get(tag)):
            self.leads.append((tag, given[LEADS[tag]]))


def made(path):
    """A page of VitePress, not one that flyc wrote (those stand in frames and have their own tests)."""
    return "frames" not in path.relative_to(root).parts and "source" != path.relative_to(root).parts[0] or path.name == "index.html"


pages = {path: Page(path) for path in sorted(root.rglob("*.html")) if made(path)}
wrong, count = [], 0
for path, page in pages.items():
    for tag, lead in page.leads:
        count += 1
        place = f"{path.relative_to(root)}: {lead}"
        parts = urllib.parse.urlsplit(lead)
        if parts.scheme in ("http", "https", "") and parts.netloc:
            wrong += [] if tag == "a" else [f"{place}: is on another server"]
            continue
        if parts.scheme:
            continue
        whole = urllib.parse.unquote(parts.path)
        target = path if not whole else root / whole.lstrip("/") if whole.startswith("/") else path.parent / whole
        target = target.resolve()
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            wrong.append(f"{place}: there is no such file")
        elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].ids:
            wrong.append(f"{place}: that page has no such anchor")
print("\n".join(dict.fromkeys(wrong)) or f"{len(pages)} pages, {count} links, all lead somewhere")
sys.exit(bool(wrong))
