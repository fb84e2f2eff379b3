#!/bin/bash
# What sealing costs: the same work on a sealed and on a plain database.
. "$(dirname "$0")/common.sh"
one_block
all=$(records 100000 1)
(umask 077 && echo 'of no importance' >phrase)
export SEA_PASSWORD_FILE=$WORK/phrase
seal='sea init -q --encrypt --name=sealed --content-type=org.example.bench'
if [ ! -d sealed-folder ]; then
  $seal sealed
  sea -C sealed put -q - <"$all"
  sea -C sealed add-container -q --create folder "$WORK/sealed-folder"
  sea -C sealed push -q
fi

ratio -n 7 --aim 1.3 --before "$fresh"' '"$seal"' run$(cat n)/sealed-put; sea init -q run$(cat n)/plain-put' \
  'put of 100,000, sealed : plain' "sea -C run\$(cat n)/sealed-put put -q - <$all" "sea -C run\$(cat n)/plain-put put -q - <$all"
ratio -n 51 --aim 1.3 --before "$here/one.sh" 'put one, sealed : plain' "sea -C sealed put -q $WORK/one.json" \
  "sea -C source put -q $WORK/one.json"

# All that passphrases cost is in `init`; a clone pays the same once, so it is measured with it and without.
ratio -n 7 --before "$fresh" 'init, sealed (600,000 rounds of PBKDF2) : plain' "$seal run\$(cat n)/sealed-init" \
  'sea init -q run$(cat n)/plain-init'
ratio -n 7 --before "$fresh" 'clone of 100,000 with its passphrase, sealed : plain' \
  'sea clone -q sealed-folder run$(cat n)/sealed-clone' 'sea clone -q folder run$(cat n)/plain-clone'
# An instance that has its key already: it is cloned from a container without records, untimed.
for kind in sealed plain; do
  [ -d $kind-full ] && continue
  if [ $kind = sealed ]; then $seal $kind-origin; else sea init -q --content-type=org.example.bench $kind-origin; fi
  sea -C $kind-origin add-container -q --create empty "$WORK/$kind-empty"
  sea -C $kind-origin push -q
  sea -C $kind-origin remove-container -q empty
  sea -C $kind-origin put -q - <"$all"
  sea -C $kind-origin add-container -q --create full "$WORK/$kind-full"
  sea -C $kind-origin push -q
done
copy="$fresh"' for k in sealed plain; do sea clone -q $k-empty run$(cat n)/$k-pull; sea -C run$(cat n)/$k-pull add-container -q full '"$WORK"'/$k-full; done'
ratio -n 7 --aim 1.5 --before "$copy" 'pull of 100,000, sealed : plain' 'sea -C run$(cat n)/sealed-pull pull -q full' \
  'sea -C run$(cat n)/plain-pull pull -q full'
ratio -n 7 --aim 1.5 --before "$fresh"' for k in sealed plain; do sea -C $k-origin add-container -q --create to$(cat n) '"$WORK"'/run$(cat n)/$k-to; done' \
  'push of 100,000, sealed : plain' 'sea -C sealed-origin push -q to$(cat n)' 'sea -C plain-origin push -q to$(cat n)'
ratio -n 9 --aim 1.25 'verify of a container without a key, sealed : plain' 'sea verify sealed-folder' \
  'sea verify folder'
