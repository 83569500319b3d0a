"""Importing boscage takes at most 60 ms of processor time after NumPy: the shortest of seven, in processes of their own."""

import subprocess
import sys

LIMIT = 0.060  # seconds
MEASURE = "import time, numpy; begin = time.process_time(); import boscage; print(time.process_time() - begin)"

best = min(float(subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, check=True).stdout) for _ in range(7))
print(f"import boscage: {1e3 * best:.0f} ms beside NumPy's")
if best > LIMIT:
    sys.exit(f"import boscage takes more than {1e3 * LIMIT:.0f} ms")
