#!/bin/bash
# 1,000 instances in one container and 50 that write at once. INSTANCES, WRITERS, ROUNDS say how many; with INSTANCES=10000 the curve goes on to there.
. "$(dirname "$0")/common.sh"
python3 "$here/instances.py" "${INSTANCES:-1000}" "${WRITERS:-50}" "${ROUNDS:-3}"
