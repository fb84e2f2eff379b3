#!/bin/bash
# A container, every byte and every signature of it, beside one digest over the same bytes.
. "$(dirname "$0")/common.sh"
one_block
many_blocks
files() { find "$1/transactions" -type f | tr '\n' ' '; }
ratio -n 9 --aim 1.25 'verify of one block of 17 MB : openssl dgst -sha256' 'sea verify folder' \
  "openssl dgst -sha256 $(files folder)"
ratio -n 3 --aim 1.25 'verify of 100,000 blocks : openssl dgst -sha256' 'sea verify many-folder' \
  "openssl dgst -sha256 $(files many-folder)"
