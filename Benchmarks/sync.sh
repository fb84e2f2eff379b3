#!/bin/bash
# Through a folder: all at once, a little into much, and many small blocks.
. "$(dirname "$0")/common.sh"
one_block
many_blocks

ratio -n 7 --aim 1.0 --before "$fresh"' sea init -q run$(cat n)/put' 'clone of 100,000 records : put of them' \
  'sea clone -q folder run$(cat n)/clone' "sea -C run\$(cat n)/put put -q - <$(records 100000 1)"

# 100 changes are pulled by an instance that has 10,000 records, and by one that has 100,000.
for size in 10000 100000; do
  database "author$size" $size
  [ -d "to$size" ] && continue
  sea -C author$size add-container -q --create to "$WORK/to$size"
  sea -C author$size push -q
  sea clone -q to$size reader$size
done
change='for s in 10000 100000; do seq 100 | sed "s|.*|{\"_id\":\"new/$(cat n)/&\",\"n\":&}|" | sea -C author$s put -q -; sea -C author$s push -q; done'
ratio -n 11 --aim 1.2 --before "$fresh $change" 'pull of 100 changes into 100,000 : into 10,000 records' \
  'sea -C reader100000 pull -q' 'sea -C reader10000 pull -q'

files=$(find many-folder -type f | wc -l)
printf '%-62s%20s%7s%6s%8s%s\n' 'files in a folder with 100,000 blocks' "$files" '' 500 '' \
  "$([ "$files" -le 500 ] && echo met || echo missed)"
ratio -n 3 --aim 3.0 --before "$fresh" 'clone of 100,000 blocks : of the same in one block' \
  'sea clone -q many-folder run$(cat n)/many' 'sea clone -q folder run$(cat n)/clone-of-one'

# With nothing new: by names and sizes, whatever the blocks hold.
sea -C many sync -q
sea -C source sync -q
ratio -n 41 --aim 1.5 'sync with nothing new, 100 folded files : one block' 'sea -C many sync -q' 'sea -C source sync -q'
