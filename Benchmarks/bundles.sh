#!/bin/bash
# Assets and bundles: 1 GiB of files, half of them like photos (nothing to compress), half like text.
. "$(dirname "$0")/common.sh"
: "${MIB:=1024}"
if [ ! -d files ]; then
  mkdir files
  python3 - "$MIB" <<'EOP'
import random, sys
size = 16 << 20
words = [bytes(random.Random(k).choices(b"abcdefghijklmnopqrstuvwxyz", k=2 + k % 9)) for k in range(4000)]
for k in range(int(sys.argv[1]) // 16):
    r = random.Random(k)
    data = r.randbytes(size) if k % 2 else b" ".join(r.choices(words, k=size // 6))[:size].ljust(size)
    open(f"files/{k:03}", "wb").write(data)
EOP
  cat files/* >all
fi
(umask 077 && echo 'of no importance' >phrase)
for kind in plain sealed; do
  [ -d $kind-album ] && continue
  if [ $kind = sealed ]; then export SEA_PASSWORD_FILE=$WORK/phrase; set -- --encrypt; else unset SEA_PASSWORD_FILE; set --; fi
  sea init -q "$@" --name=$kind --content-type=org.example.album $kind-album
  for file in files/*; do sea -C $kind-album set -q --create "${file##*/}" content:asset@"$WORK/$file"; done
done
export SEA_PASSWORD_FILE=$WORK/phrase BORG_PASSPHRASE=of-no-importance RESTIC_PASSWORD_FILE=$WORK/phrase
export BORG_BASE_DIR=$WORK/borg-base RESTIC_CACHE_DIR=$WORK/restic-cache

# Each of these leaves a GiB: only the last one is kept. These are few files.
out='rm -rf run[0-9]*;'"$fresh"' sync;'
ratio -n 5 --wall --aim 1.2 'export, no compression, to a pipe : openssl dgst -sha256 (wall)' \
  'sea -C plain-album export -q --compress=none -o - | cat >/dev/null' 'openssl dgst -sha256 all'
ratio -n 5 --wall --aim 1.2 --before "$out" 'export, no compression, to a file : bsdtar and sync (wall)' \
  'sea -C plain-album export -q --compress=none -o ../run$(cat n)/none.sea.tar' \
  'bsdtar -c -f run$(cat n)/bsdtar.tar files && sync run$(cat n)/bsdtar.tar'
ratio -n 5 --wall --aim 1 --before "$out" 'export, zstd : bsdtar --zstd (wall)' \
  'sea -C plain-album export -q -o ../run$(cat n)/zstd.sea.tar.zst' 'bsdtar -c --zstd -f run$(cat n)/bsdtar.tar.zst files'
ratio -n 5 --aim 1.2 --before "$out" 'export, no compression, sealed : plain' \
  'sea -C sealed-album export -q --compress=none -o ../run$(cat n)/sealed.sea.tar' \
  'sea -C plain-album export -q --compress=none -o ../run$(cat n)/plain.sea.tar'
ratio -n 3 --aim 1 --before "$out"' restic -q init -r run$(cat n)/restic >/dev/null' 'export, zstd : restic backup' \
  'sea -C plain-album export -q -o ../run$(cat n)/zstd' 'restic -q -r run$(cat n)/restic backup files'
ratio -n 3 --aim 1 --before "$out"' borg init -e repokey run$(cat n)/borg' 'export, zstd : borg create, zstd' \
  'sea -C plain-album export -q -o ../run$(cat n)/zstd' 'borg create --compression zstd,3 run$(cat n)/borg::a files'
rm -rf files all sealed-album
[ -f album.sea.tar.zst ] || sea -C plain-album export -q -o ../album.sea.tar.zst
ratio -n 5 --wall --aim 1.25 'verify of a bundle : zstd -dc | openssl dgst -sha256 (wall)' 'sea verify album.sea.tar.zst' \
  'zstd -dc album.sea.tar.zst | openssl dgst -sha256'
ratio -n 5 --aim 1.25 'the same, CPU' 'sea verify album.sea.tar.zst' 'zstd -dc album.sea.tar.zst | openssl dgst -sha256'
rm -rf plain-album album.sea.tar.zst

one_block
[ -f records.sea.tar.zst ] || sea -C source export -q -o ../records.sea.tar.zst
ratio -n 7 --aim 1 --before "$fresh" 'clone of 100,000 records from a bundle : from a container' \
  'sea clone -q records.sea.tar.zst run$(cat n)/from-bundle' 'sea clone -q folder run$(cat n)/from-folder'
# The same into an instance that is there: from a container without records, untimed.
if [ ! -d bare ]; then
  sea init -q --content-type=org.example.bench bare
  sea -C bare add-container -q --create bare "$WORK/bare-folder"
  sea -C bare push -q
  sea -C bare put -q - <"$(records 100000 1)"
  sea -C bare export -q -o ../bare.sea.tar.zst
  sea -C bare add-container -q --create full "$WORK/bare-full"
  sea -C bare push -q full
fi
ratio -n 7 --aim 1 --before "$fresh"' for k in a b; do sea clone -q bare-folder run$(cat n)/bare-$k; sea -C run$(cat n)/bare-$k add-container -q full '"$WORK"'/bare-full; done' \
  'import of 100,000 records : first sync of them' 'sea -C run$(cat n)/bare-a import -q ../../bare.sea.tar.zst' \
  'sea -C run$(cat n)/bare-b pull -q full'

# Memory, whatever the size. The file has 5 GiB and takes no room.
[ -f large ] || truncate -s 5G large
if [ ! -d large-album ]; then sea init -q --content-type=org.example.album large-album; fi
ratio --peak 100 'set of a file of 5 GiB' 'sea -C large-album set -q --create large content:asset@'"$WORK/large"
ratio --peak 100 'get --raw of it' 'sea -C large-album get --raw large content'
ratio --peak 100 'export of it' 'sea -C large-album export -q -o ../large.sea.tar.zst'
rm -rf large large-album
ratio --peak 100 'verify of the bundle' 'sea verify large.sea.tar.zst'
ratio --peak 100 'clone of the bundle' 'sea clone -q large.sea.tar.zst large-clone'
rm -rf large-clone large.sea.tar.zst
