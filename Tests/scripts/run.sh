#!/bin/sh
# Runs the test scripts: all of them, or those that are named. Tests/run.py says how.
exec /usr/bin/python3 "$(dirname "$0")/../run.py" "$@"
