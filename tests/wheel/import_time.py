"""Importing boscage takes at most 60 ms more than importing NumPy: the shortest of seven, in processes of their own."""

import re
import subprocess
import sys

LIMIT = 0.060  # seconds


def measure():
    """Seconds that `import boscage` takes without the import of NumPy in it."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import boscage"], capture_output=True, text=True, check=True)
    cumulative = {name: int(took) for took, name in re.findall(r"\|\s*(\d+) \| +(\S+)$", done.stderr, re.M)}
    return 1e-6 * (cumulative["boscage"] - cumulative["numpy"])


best = min(measure() for _ in range(7))
print(f"import boscage: {1e3 * best:.0f} ms beside NumPy's")
if best > LIMIT:
    sys.exit(f"import boscage takes more than {1e3 * LIMIT:.0f} ms")
