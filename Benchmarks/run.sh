#!/bin/bash
# All benchmarks, one table. CPU of the whole process, medians, or the time that passed where a line says wall; a ratio (or a peak) below its aim is good.
. "$(dirname "$0")/common.sh"
sea --version
if [ "$BEFORE" ]; then echo "before: $("$BEFORE" --version)"; fi
printf '%s, %s cores, load %s\n\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(cut -d' ' -f1-3 /proc/loadavg)"
printf '%-62s%10s%10s%7s%6s%6s' 'Sea : peer' 'Sea ms' 'peer ms' ratio aim MB
if [ "$BEFORE" ]; then printf '%11s%7s' 'before ms' ratio; fi
echo
for script in startup bulk query many log sync conflicts verify sealed bundles memory room; do "$here/$script.sh"; done
echo
"$here/kit.sh"
echo
echo "took $((SECONDS / 60)) min $((SECONDS % 60)) s, load now $(cut -d' ' -f1-3 /proc/loadavg)"
