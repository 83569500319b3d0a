"""tools/check-words finds each kind of defect, and nothing in plain text."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "check-words"
loader = importlib.machinery.SourceFileLoader("check_words", str(TOOL))
check_words = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_words", loader))
loader.exec_module(check_words)

TABLE = {"words": [{"words": ["told", "deal"], "say": "reported"}], "bare": ["run"], "files": ["small"],
         "exceptions": [{"where": "src/a\\.c", "text": "a great deal", "reason": "the phrase"}], "limits": {}}
LONG_BODY = "    i++;\n" * check_words.LONG


class CheckWords(unittest.TestCase):
    def kinds(self, path, text):
        return [kind for kind, _, _ in check_words.Words(TABLE).places(path, text)]

    def test_plain_text(self):
        self.assertEqual(self.kinds("src/a.c", "/* Counts the keys. */\nint count_keys(void)\n{\n    return 0;\n}\n"), [])

    def test_identifiers(self):
        self.assertEqual(self.kinds("src/a.c", "int told_by, retold;\n"), ["identifiers"])

    def test_strings_are_not_identifiers(self):
        self.assertEqual(self.kinds("src/a.c", 'const char *s = "told";\n'), [])

    def test_words_of_comments(self):
        self.assertEqual(self.kinds("src/a.h", "/* The host is told. */\n"), ["words", "chains"])

    def test_openings_and_chains(self):
        self.assertEqual(self.kinds("src/a.h", "/* Keys. What remains is sorted. */\n"), ["openings"])
        self.assertEqual(self.kinds("src/a.h", "/* Sorts those that repeat. */\n"), ["chains"])
        self.assertEqual(self.kinds("docs/a.md", "# Keys\n\nSorts those that repeat.\n"), ["chains"])

    def test_code_of_pages_is_not_read(self):
        self.assertEqual(self.kinds("docs/a.md", "```c\n/* told */\n```\n\nSee `told`.\n"), [])

    def test_bare_names_and_silent_functions(self):
        self.assertEqual(self.kinds("src/a.c", f"static int run(int i)\n{{\n{LONG_BODY}}}\n"), ["bare", "silent"])
        self.assertEqual(self.kinds("src/a.c", f"int run_all(int i)\n{{\n    /* Adds. */\n{LONG_BODY}}}\n"), [])

    def test_file_names(self):
        self.assertEqual(self.kinds("src/room/small.c", ""), ["files"])

    def test_exceptions(self):
        self.assertEqual(self.kinds("src/a.c", "/* Saves a great deal of time. */\n"), [])
        self.assertEqual(self.kinds("src/b.c", "/* Saves a great deal of time. */\n"), ["words"])


if __name__ == "__main__":
    unittest.main()
