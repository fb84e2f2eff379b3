#!/bin/bash
# 1,000 records in conflict: half of them merge alone, a fifth of these by a policy, and the others clash.
. "$(dirname "$0")/common.sh"

# edits SIDE COUNT: what one of two has changed in the first records.
edits() {
  records 2000 1 >/dev/null
  [ -f "edits-$1" ] || head -1000 records-2000-1 | python3 -c '
import json, sys
side = sys.argv[1]
for k, line in enumerate(sys.stdin):
    name = "title" if k < 500 else "n" if k < 600 else "done" if side == "a" else "body"
    value = {"title": "by " + side, "n": 10**7 + k + (side == "a"), "done": "yes", "body": "by " + side}[name]
    print(json.dumps({"_id": json.loads(line)["_id"], name: value}))
' "$1" >"edits-$1"
  echo "$PWD/edits-$1"
}
# divided COUNT: folders base-COUNT and edited-COUNT, the second with the changes of one side too.
divided() {
  [ -d "edited-$1" ] && return
  database "writer-$1" "$1"
  sea -C "writer-$1" config set -q --shared merge.policy /n=max
  sea -C "writer-$1" add-container -q --create base "$WORK/base-$1"
  sea -C "writer-$1" push -q
  sea -C "writer-$1" remove-container -q base
  cp -r "base-$1" "edited-$1"
  sea -C "writer-$1" put -q --merge-patch - <"$(edits a)"
  sea -C "writer-$1" add-container -q edited "$WORK/edited-$1"
  sea -C "writer-$1" push -q
}
# other NAME COUNT: an instance with the changes of the other side, which has not heard of the first.
cat >other.sh <<END
set -e
sea clone -q base-\$2 \$1
sea -C \$1 put -q --merge-patch - <"$(edits b)"
cp -r edited-\$2 \$1-edited
sea -C \$1 add-container -q edited "$WORK/\$1-edited"
END
for size in 100000 2000; do
  divided $size
  [ -d "left-$size" ] && continue
  sh other.sh left-$size $size
  sea -C left-$size -c merge.auto=off pull -q edited
  found=$(sea -C left-$size conflicts --count)
  [ "$found" = 1000 ] || { echo "conflicts.sh: $found records in conflict" >&2; exit 1; }
done

ratio -n 5 --cpu 10000 --before "$fresh"' sh other.sh run$(cat n)/alone 100000' \
  'sync that merges 500 of 1,000 conflicts: 10 ms for each' 'sea -C run$(cat n)/alone sync -q edited'
ratio -n 5 --before "$fresh"' for k in clean off; do sh other.sh run$(cat n)/$k 100000; done' \
  'sync that merges : that does not, merge.auto=off' 'sea -C run$(cat n)/clean sync -q edited' \
  'sea -C run$(cat n)/off -c merge.auto=off sync -q edited'
for command in conflicts 'conflicts --count' status; do
  ratio -n 11 --aim 1.2 "$command, 1,000 conflicts in 100,000 : in 2,000 records" "sea -C left-100000 $command" \
    "sea -C left-2000 $command"
done
