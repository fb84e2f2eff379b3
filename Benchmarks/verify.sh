#!/bin/bash
# A container, every byte and every signature of it, beside one digest over the same bytes.
. "$(dirname "$0")/common.sh"
one_block
many_blocks
files() { find "$1/transactions" -type f | tr '\n' ' '; }
# The format has two digests, so twice the processor time; by the clock at least 0.9 of openssl, if two cores have nothing else to do.
both() { # LABEL OPTIONS...
  label=$1
  shift
  ratio -n 9 "$@" "verify of one block of 17 MB$label : openssl dgst -sha256" 'sea verify folder' \
    "openssl dgst -sha256 $(files folder)"
  ratio -n 5 "$@" "verify of 100,000 blocks$label : openssl dgst -sha256" 'sea verify many-folder' \
    "openssl dgst -sha256 $(files many-folder)"
}
both '' --aim 2.1
both ' (wall)' --wall --aim 1.11
