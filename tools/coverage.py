"""Prints the lines and branches of src/, tool/, render/ and demo/ that tests reached, folder by folder, from a build with gcov.

usage: tools/coverage.py BUILD [PERCENT]     names the files with fewer lines reached than PERCENT (90)

A line counts as reached if it was in any object; hot files are compiled several times, headers into many. A line that
guards against what cannot happen, or needs another machine, says so by a comment that begins with "unreached:", and is
not counted; on a line of its own such a comment is about the function that follows. Kernels (.cu, .cuh) are not
measured, but the steps that they share with the CPU are; nor is what stands in for a library that is not linked. Lines of
a list (.def) are one macro's: a branch of it counts as taken if any of them took it.
"""
import collections
import itertools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def reports(build):
    """gcov's report of each object that ran or could have run."""
    notes = [path for path in build.rglob("*.gcno") if "CompilerId" not in str(path)]
    for note in notes:
        done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", note],
                              cwd=build, capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            yield json.loads(line)


def name_of(file, report):
    """The path below the root of a file of these folders, or None."""
    path = (pathlib.Path(report["current_working_directory"]) / file["file"]).resolve()
    if not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT)
    if name.suffix in (".cu", ".cuh") or "stand_in" in name.parts:
        return None
    return name if name.parts[0] in ("src", "tool", "render", "demo") else None


def guards(name):
    """The numbers of the file's marked lines."""
    marked, whole = set(), False
    for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
        whole = whole or line.startswith("/* unreached:")
        if whole or "/* unreached:" in line:
            marked.add(number)
        whole = whole and line != "}"
    return marked


def fold(file, line):
    """The times each branch of the line was taken, in whichever copy: gcov strings the branches of functions together
    that lines of an included file or of a macro make many of."""
    times = [branch["count"] for branch in line["branches"]]
    number = line["line_number"]
    copies = sum(f["start_line"] <= number <= f["end_line"] for f in file["functions"] if f["start_line"] < f["end_line"])
    if copies < 2 or len(times) % copies:
        return times
    each = len(times) // copies
    return [sum(times[at::each]) for at in range(each)]


def collect(build):
    """{file: {line: [times reached, [times each branch was taken]]}}"""
    files = collections.defaultdict(dict)
    for report in reports(build):
        for file in report["files"]:
            name = name_of(file, report)
            if name is None:
                continue
            for line in file["lines"]:
                taken = fold(file, line)
                count, known = files[name].get(line["line_number"], (0, []))
                longer, shorter = (taken, known) if len(taken) > len(known) else (known, taken)
                merged = [a + b for a, b in zip(longer, shorter)] + longer[len(shorter):]
                files[name][line["line_number"]] = (count + line["count"], merged)
    for name, lines in files.items():
        for number in guards(name):
            lines.pop(number, None)
        if name.suffix == ".def":
            fold_list(lines)
    return files


def fold_list(lines):
    """Leaves the branches of a list's longest line, with the times that they were taken in any."""
    times = [sum(some) for some in itertools.zip_longest(*(taken for _, taken in lines.values()), fillvalue=0)]
    for number, (count, _) in lines.items():
        lines[number] = (count, times)
        times = []


def part(some, of):
    return f"{some}/{of} {100 * some / of:5.1f} %" if of else "-"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    least = float(sys.argv[2]) if len(sys.argv) > 2 else 90.0
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    low = []
    for name, lines in collect(build).items():
        reached = sum(count > 0 for count, _ in lines.values())
        branches = [times for _, taken in lines.values() for times in taken]
        counts = [reached, len(lines), sum(times > 0 for times in branches), len(branches)]
        for folder in (str(name.parent), "all"):
            folders[folder] = [a + b for a, b in zip(folders[folder], counts)]
        if lines and 100 * reached < least * len(lines):
            low.append((100 * reached / len(lines), name))
    if not folders:
        sys.exit("coverage: no file was reached")
    total = folders.pop("all")
    print(f"{'folder':16}{'lines':>20}{'branches':>20}")
    for name, (lines, all_lines, branches, all_branches) in [*sorted(folders.items()), ("all", total)]:
        print(f"{name:16}{part(lines, all_lines):>20}{part(branches, all_branches):>20}")
    for percent, name in sorted(low):
        print(f"{percent:5.1f} % of the lines of {name}")


if __name__ == "__main__":
    main()
