#!/bin/bash
# All benchmarks, one table. CPU of the whole process, medians; a ratio below its aim is good.
. "$(dirname "$0")/common.sh"
printf '%-58s %11s %12s %6s %6s\n' 'Sea : peer' Sea peer ratio aim
for script in startup bulk sync verify memory; do "$here/$script.sh"; done
echo "left behind in $WORK"
