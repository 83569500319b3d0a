"""The pages that tools/make-site writes name each other rightly, and its check of a built site finds defects. mkdocs itself
is not needed."""
import importlib.machinery
import importlib.util
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools" / "make-site"


def load():
    loader = importlib.machinery.SourceFileLoader("make_site", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_site", loader))
    loader.exec_module(module)
    return module


SITE = load()


def slug(heading):
    """The anchor of a heading, as readers of Markdown and mkdocs make it."""
    text = re.sub(r"`|\*|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", text).strip())


def anchors(text):
    found = {slug(line) for line in re.findall(r"(?m)^#+ (.*)$", SITE.FENCE.sub("", text))}
    return found | set(re.findall(r"(?m)^::: (\S+)$", text))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        SITE.write(pathlib.Path(cls.folder.name))
        cls.root = pathlib.Path(cls.folder.name) / "pages"
        cls.text = {p.relative_to(cls.root).as_posix(): p.read_text() for p in cls.root.rglob("*.md")}
        cls.settings = (cls.root.parent / "mkdocs.yml").read_text()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pictures_have_targets(self):
        """Also pictures within links."""
        for page, text in self.text.items():
            for target in re.findall(r"!\[[^\]]*\]\(([^)\s:]+)\)", SITE.FENCE.sub("", text)):
                name = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
                self.assertTrue((self.root / name).is_file(), f"{page}: {target}")

    def test_links_have_targets(self):
        count = 0
        for page, text in self.text.items():
            for match in SITE.LINK.finditer(SITE.FENCE.sub("", text)):
                target, anchor = match.group(2), (match.group(3) or "#")[1:]
                if ":" in target:
                    continue
                name = posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page
                self.assertTrue((self.root / name).is_file(), f"{page}: {match.group(0)}")
                if anchor and name.endswith(".md"):
                    self.assertIn(anchor, anchors(self.text[name]), f"{page}: {match.group(0)}")
                count += 1
        self.assertGreater(count, 500)

    def test_links_to_files_of_the_project_become_links_to_pages(self):
        self.assertIn("(../reference/c/kdtree.md)", self.text["guide/kdtree.md"])
        self.assertIn("(../programs/one_at_a_time.c.md)", "".join(self.text.values()))
        self.assertNotIn("(../bench/results)", self.text["performance.md"])

    def test_every_page_is_in_the_navigation_once(self):
        named = re.findall(r"(?m)^ *- (?:.*: )?(\S+\.md)$", self.settings)
        self.assertEqual(sorted(named), sorted(self.text))
        self.assertNotIn("- @", self.settings)

    def test_the_reference_has_all_public_names(self):
        names = {dotted for dotted, _ in SITE.modules()} | {"boscage.__version__", "boscage.nx.backend"}  # no calls
        for dotted, path in SITE.modules():
            page = self.text[f"reference/python/{dotted}.md"]
            for name in SITE.public_names(SITE.ast.parse(path.read_text())):
                if f"{dotted}.{name}" not in names:  # a call, or another library's, which the text names
                    self.assertRegex(page, rf"(?m)^::: boscage\S*\.{name}$|`{name}`", dotted)
        for header, _, entries in SITE.load_reference().headers():
            page = self.text[SITE.page_of_header(header)]
            for entry in entries:
                self.assertIn(f"\n## {entry.name}\n", page, header)

    def test_pages_name_no_other_host(self):
        style = (self.root / "site.css").read_text()
        self.assertEqual([a for a in SITE.style_loads(style) if SITE.is_foreign(a)], [])
        self.assertIn("font: false", self.settings)
        self.assertNotRegex(self.settings, r"https?://")


class Check(unittest.TestCase):
    def check(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                (pathlib.Path(folder) / name.replace("_", ".")).write_text(text)
            done = subprocess.run([sys.executable, TOOL, "--check", folder], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_a_good_site(self):
        good = '<h1 id="top">A</h1><a href="b.html#x"></a><a href="#top"></a><a href="https://proj.org">far</a><img src="a.png">'
        code, out = self.check(a_html=good, b_html='<p id="x">', a_png="")
        self.assertEqual((code, out), (0, "2 pages, 0 defects\n"))

    def test_bad_sites(self):
        for text, said in (
            ('<a href="c.html">', "c.html has no file"),
            ('<a href="b.html#y">', "b.html#y has no such heading"),
            ('<img src="c.png">', "c.png has no file"),
            ('<script src="https://cdn.net/a.js"></script>', "loads https://cdn.net/a.js"),
            ('<link rel="stylesheet" href="//cdn.net/a.css">', "loads //cdn.net/a.css"),
        ):
            code, out = self.check(a_html=text, b_html="")
            self.assertEqual(code, 1, text)
            self.assertIn(said, out)
        code, out = self.check(a_html="", a_css="@font-face { src: url('https://cdn.net/f.woff2') }")
        self.assertEqual(code, 1)
        self.assertEqual(self.check()[0], 1)


if __name__ == "__main__":
    unittest.main()
