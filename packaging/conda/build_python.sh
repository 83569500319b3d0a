#!/bin/sh
set -eu
exec "$PYTHON" -m pip install -vv --no-deps --no-build-isolation .
