#!/bin/bash
# A first sync of 10,000 records over ssh, from sea-server (make server) and from two servers of S3, beside one from a folder. COUNT and RUNS say how many.
. "$(dirname "$0")/common.sh"
python3 "$here/elsewhere.py" "${COUNT:-10000}" "${RUNS:-5}"
