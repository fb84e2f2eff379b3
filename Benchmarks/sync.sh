#!/bin/bash
# Through a folder: all at once, a little into much, and many small blocks.
. "$(dirname "$0")/common.sh"
database source 100000
[ -d folder ] || { sea -C source add-container -q --create folder "$WORK/folder"; sea -C source push -q; }

ratio -n 5 --aim 1.0 --before "$fresh"' sea init -q put$(cat n)' 'sea clone of 100,000 records : sea put - of them' \
  'sea clone -q folder clone$(cat n)' 'sea -C put$(cat n) put -q - <records-100000-1'

# 100 changes are pulled by an instance that has 10,000 records, and by one that has 100,000.
for size in 10000 100000; do
  database "author$size" $size
  [ -d "to$size" ] && continue
  sea -C author$size add-container -q --create to "$WORK/to$size"
  sea -C author$size push -q
  sea clone -q to$size reader$size
done
change='for s in 10000 100000; do i=0; while [ $i -lt 100 ]; do echo "{\"_id\":\"new/$(cat n)/$i\",\"n\":$i}"; i=$((i + 1)); done | sea -C author$s put -q -; sea -C author$s push -q; done'
ratio -n 5 --aim 1.2 --before "$fresh $change" 'sea pull of 100 changes into 100,000 : into 10,000' \
  'sea -C reader100000 pull -q' 'sea -C reader10000 pull -q'

# 100,000 blocks of one record each.
if [ ! -d many ]; then
  sea init -q --name=many many
  sea -C many put -q --chunk=1 - <"$(records 100000 1)"
  sea -C many add-container -q --create folder "$WORK/many-folder"
  sea -C many push -q
fi
files=$(find many-folder -type f | wc -l)
printf '%-58s %8s %12s %13s %6s %s\n' 'files of 100,000 blocks in a folder' "$files" '' '' 500 "$([ "$files" -le 500 ] && echo met || echo missed)"
ratio -n 3 --aim 3.0 --before "$fresh" 'sea clone of 100,000 blocks : of the same in one block' \
  'sea clone -q many-folder many$(cat n)' 'sea clone -q folder clone-of-one$(cat n)'
