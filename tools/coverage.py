"""Prints the lines and branches of src/ and tool/ that tests reached, folder by folder, from a build with gcov.

usage: tools/coverage.py BUILD [PERCENT]     names the files with fewer lines reached than PERCENT (90)
"""
import collections
import json
import pathlib
import subprocess
import sys


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1])
    least = float(sys.argv[2]) if len(sys.argv) > 2 else 90.0
    report = build / "coverage.json"
    subprocess.run(["gcovr", "--root", root, "--object-directory", build, "--filter", f"{root}/(src|tool)/",
                    "--exclude-directories", ".*CompilerId.*", "--exclude-throw-branches", "--json-summary", report, build], check=True)
    files = json.loads(report.read_text())["files"]
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        counts = [file["line_covered"], file["line_total"], file["branch_covered"], file["branch_total"]]
        for name in (str(pathlib.Path(file["filename"]).parent), "all"):
            folders[name] = [a + b for a, b in zip(folders[name], counts)]
    total = folders.pop("all", None)
    if not total:
        sys.exit("coverage: no file was reached")
    print(f"{'folder':16}{'lines':>18}{'branches':>18}")
    for name, (lines, all_lines, branches, all_branches) in [*sorted(folders.items()), ("all", total)]:
        print(f"{name:16}{part(lines, all_lines):>18}{part(branches, all_branches):>18}")
    for file in sorted(files, key=lambda f: f["line_percent"]):
        if file["line_percent"] < least:
            print(f"{file['line_percent']:5.1f} % of the lines of {file['filename']}")


def part(some, of):
    return f"{some}/{of} {100 * some / of:5.1f} %" if of else "-"


if __name__ == "__main__":
    main()
