#!/bin/bash
# Ten million records: what does not have to grow with them. Five minutes and 2 GiB, so it is not one of all.
. "$(dirname "$0")/common.sh"
# numbered NAME COUNT: an instance with so many records and an index, made once. Ids lie apart, as those that are made at random.
numbered() {
  [ -d "$1" ] && return
  sea init -q "$1"
  sea -C "$1" reindex -q --add=number=note:/number
  seq 0 $(($2 - 1)) | awk '{ printf "{\"_id\":\"%08x%08x\",\"_type\":\"%s\",\"number\":%d,\"title\":\"title %d\"}\n",
    ($1 * 2654435761) % 4294967296, $1, $1 % 4 ? "task" : "note", $1, $1 % 100003 }' | sea -C "$1" put -q --chunk=100000 -
}
numbered large 10000000
numbered small 1000
ratio --cpu 2000 '10,000,000 records: query --count' 'sea -C large query --count'
ratio --cpu 2000 '10,000,000 records: query --types' 'sea -C large query --types'
ratio -n 21 --aim 1.2 'one by an index, of 10,000,000 : of 1,000' "sea -C large query -t note --json 'number = 4711232'" \
  "sea -C small query -t note --json 'number = 712'"
ratio -n 21 --aim 1.2 'get, of 10,000,000 : of 1,000' 'sea -C large get 0000000000000000' 'sea -C small get 0000000000000000'
