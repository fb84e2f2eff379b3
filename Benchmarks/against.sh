#!/bin/bash
# Beside restic and git-annex over one server of S3 (apt-get install restic git-annex): RECORDS, FILES and SIZE say how much, S3=rclone another server.
. "$(dirname "$0")/common.sh"
python3 "$here/against.py" "${RECORDS:-10000}" "${FILES:-100}" "${SIZE:-1000000}"
