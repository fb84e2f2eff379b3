#!/bin/bash
# A container, every byte of it, beside one digest over the same bytes.
. "$(dirname "$0")/common.sh"
database source 100000
[ -d folder ] || { sea -C source add-container -q --create folder "$WORK/folder"; sea -C source push -q; }
ratio -n 9 --aim 1.25 'sea verify of a container : openssl dgst -sha256' 'sea verify folder' \
  "openssl dgst -sha256 $(find folder/transactions -type f | tr '\n' ' ')"
