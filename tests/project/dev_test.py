"""./dev test counts the tests that ran and fails if any part did not run its tests. cmake and ctest are stand-ins."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock

DEV = pathlib.Path(__file__).resolve().parent.parent.parent / "dev"


class Dev(unittest.TestCase):
    def run_dev(self, *arguments, cmake_code=0, ctest_line="", ctest_lines=(), ctest_code=0):
        printed = "\n".join(ctest_lines or [ctest_line])
        with tempfile.TemporaryDirectory() as folder:
            stands_in = pathlib.Path(folder) / "bin"
            stands_in.mkdir()
            shutil.copy(DEV, folder)
            for compiler in ("gcc", "g++", "clang"):  # finds every header at once
                (stands_in / compiler).symlink_to("/bin/true")
            for name, text in (("cmake", f"exit {cmake_code}"), ("ctest", f"cat <<'END'\n{printed}\nEND\nexit {ctest_code}")):
                (stands_in / name).write_text(f"#!/bin/sh\n{text}\n")
                (stands_in / name).chmod(0o755)
            env = {**os.environ, "PATH": f"{stands_in}:{os.environ['PATH']}"}
            done = subprocess.run(["sh", "dev", *arguments], cwd=folder, env=env, capture_output=True, text=True)
            return done.returncode, (done.stdout.splitlines() or [""])[-1], done.stderr

    def test_passes_are_summed_over_parts(self):
        line = "100% tests passed, 0 tests failed out of 12"
        self.assertEqual(self.run_dev("test", "dev", "asan", ctest_line=line)[:2], (0, "24 passed, 0 failed"))

    def test_failures_are_counted(self):
        line = "75% tests passed, 3 tests failed out of 12"
        self.assertEqual(self.run_dev("test", "dev", ctest_line=line, ctest_code=8)[:2], (1, "9 passed, 3 failed"))

    def test_a_build_that_fails_is_a_failure(self):
        self.assertEqual(self.run_dev("test", "dev", cmake_code=1)[:2], (1, "0 passed, 1 failed"))

    def test_a_part_without_tests_is_a_failure(self):
        self.assertEqual(self.run_dev("test", "dev", ctest_line="No tests were found!!!")[:2], (1, "0 passed, 1 failed"))

    def test_ctest_that_dies_after_its_summary_is_a_failure(self):
        line = "100% tests passed, 0 tests failed out of 12"
        self.assertEqual(self.run_dev("test", "dev", ctest_line=line, ctest_code=1)[:2], (1, "12 passed, 1 failed"))

    def test_skips_are_no_passes(self):
        lines = ["100% tests passed, 0 tests failed out of 12", "The following tests did not run:",
                 "\t  3 - cli_device (Skipped)"]
        self.assertEqual(self.run_dev("test", "dev", ctest_lines=lines)[:2], (0, "11 passed, 0 failed"))

    def test_skips_that_nothing_announces_are_failures(self):
        lines = ["100% tests passed, 0 tests failed out of 12", "The following tests did not run:",
                 "\t  3 - cli_device (Skipped)", "\t  4 - forest_oracle (Skipped)"]
        self.assertEqual(self.run_dev("test", "dev", ctest_lines=lines)[:2], (1, "10 passed, 1 failed"))

    def test_unknown_commands_and_parts_are_refused(self):
        self.assertEqual(self.run_dev("nonsense")[0], 1)
        code, _, error = self.run_dev("test", "nonsense")
        self.assertEqual(code, 1)
        self.assertIn("nonsense", error)

    def test_a_site_without_mkdocs_says_how_to_install_it(self):
        with unittest.mock.patch.dict(os.environ, {"PIP_NO_INDEX": "1"}):
            code, _, error = self.run_dev("site")
        self.assertEqual(code, 1)
        self.assertRegex(error, r"build/site-venv/bin/pip installs: mkdocs-material")


if __name__ == "__main__":
    unittest.main()
