"""Times of calls as rows of bench/results."""

import json
import re
import statistics
import time


def median(call, repeats):
    """The median of wall times in ms after one call that is not counted, and the last result."""
    walls = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        found = call()
        walls.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(walls[1:]), found


def row(case, shape, n, ours, peer, peer_time, **more):
    """A row of times in ms."""
    ours, peer_time = (float(f"{x:.4g}") for x in (ours, peer_time))
    made = {"case": case, "shape": shape, "n": n, "unit": "ms", "ours": ours, "peer": peer, "peer_time": peer_time}
    made.update(ratio=float(f"{peer_time / ours:.3g}"), **more)
    print(json.dumps(made), flush=True)
    return made


def add_arguments(parser):
    parser.add_argument("-t", "--threads", type=int, default=1)
    parser.add_argument("-r", "--repeats", type=int, default=5)
    parser.add_argument("--results", help="a file of bench/results, which gets the rows as a run")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--device", default="CPU")


def write_run(options, method, rows):
    """Adds a run to the file of --results, in place of one by the same method on the same device."""
    if not options.results or not rows:
        return
    with open(options.results) as file:
        data = json.load(file)
    run = {"commit": options.commit, "date": time.strftime("%Y-%m-%d"), "device": options.device, "method": method}
    kept = [r for r in data["runs"] if (r["device"], r["method"]) != (run["device"], method)]
    write_json(options.results, {**data, "runs": [*kept, {**run, "rows": rows}]})


def write_json(path, data):
    """Writes data with a line a row."""
    text = json.dumps(data, indent=2)
    text = re.sub(r"\{\s+(\"case\"[^{}]*?)\s+\}", lambda m: "{" + re.sub(r"\n\s+", " ", m[1]) + "}", text)
    with open(path, "w") as file:
        file.write(text + "\n")
