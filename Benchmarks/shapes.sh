#!/bin/bash
# Shapes that a peer can give what it writes, in four sizes each: what the commands take, and whether it grows with the size
# alone. Not among the others: it takes half an hour, and shapes.py SHAPE... takes what is of interest.
. "$(dirname "$0")/common.sh"
exec python3 "$here/shapes.py" --sea "$SEA" "$@"
