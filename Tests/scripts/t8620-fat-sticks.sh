# Bundles on sticks as they are sold: exFAT and FAT, mounted through FUSE, and FAT32 at the level of the image, where
# mtools and fsck judge names and content by themselves. Mounting needs root; where it is not allowed the tests fail.
trap 'for m in fat exfat; do umount "$m" 2>/dev/null || umount -l "$m" 2>/dev/null || true; done
[ ! -f exfat.loop ] || losetup -d "$(cat exfat.loop)" 2>/dev/null || true' EXIT

t 'two instances, photos and a text' <<'EOT'
head -c 3000000 /dev/urandom >photo
seq 200000 >text
sea init -q --name='Feld Süd' --content-type=org.example.birds db
sea -C db set -q --create a photo:asset@"$PWD/photo" text:asset@"$PWD/text"
EOT

for kind in exfat fat; do
echo $kind >kind

t "$kind: back and forth, each export read back from the medium" <<'EOT'
kind=$(cat kind)
rm -rf lab
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" $kind "$PWD/$kind" 64
stick=$PWD/$kind/birds
status 0 sea -C db export --full --to="$stick" --verify
says out 'read back from the medium: ok'
status 0 sea verify "$stick"
status 0 sea clone -q --name=lab "$stick" lab
sea -C lab get --raw a photo | cmp - photo
sea -C lab set -q a "notes=$kind" sound:asset@"$PWD/kind"
status 0 sea -C lab export --to="$stick" --verify
status 0 sea -C db import "$stick"
[ "$(sea -C db get a notes)" = $kind ]
sea -C db get --raw a sound | cmp - kind
# Volumes, and a file that is there already.
status 0 sea -C db export --full --split=1M --verify -o "$stick/all.sea.tar.zst"
[ "$(ls "$stick" | grep -c '^all.sea.tar.zst\.00[1-9]$')" -ge 3 ]
status 0 sea verify "$stick/all.sea.tar.zst.001"
status 0 sea -C db export -q --no-assets --full --verify -o "$stick/small.sea.tar"
status 0 sea -C db export -q --no-assets --full --verify -o "$stick/small.sea.tar"
status 0 sea verify "$stick/small.sea.tar"
[ -z "$(find $kind -name '.sea-tmp*')" ]
find $kind | LC_ALL=C grep '[^a-z0-9./-]' && exit 1
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" umount "$PWD/$kind"
EOT
done

t 'a stick that is full: status 12, and it is as it was' <<'EOT'
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" exfat "$PWD/exfat" 8
head -c 3000000 /dev/zero >exfat/other
ls -la exfat >before
status $SYSTEM sea -C db export --full --compress=none -o "$PWD/exfat/b.sea.tar"
[ "$(grep -c '^sea: ' err)" -eq 1 ]
ls -la exfat | diff before -
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" umount "$PWD/exfat"
EOT

t 'FAT32 in an image: long names and content come back, fsck finds nothing' <<'EOT'
rm -rf out-of
sea -C db export -q --full --to="$PWD/stick"
dd if=/dev/zero of=image bs=1M count=64 status=none
mkfs.vfat -F 32 image >/dev/null
mcopy -s -i image stick ::
fsck.vfat -n image >/dev/null
# A second medium, as a camera's computer might copy it: without times and modes.
mkdir out-of
mcopy -s -n -i image ::stick out-of/
diff -r stick out-of/stick
status 0 sea verify out-of/stick
rm -rf lab
status 0 sea clone -q --name=lab out-of/stick lab
sea -C lab get --raw a text | cmp - text
EOT

t 'a bundle unpacked by tar onto exFAT is a container' <<'EOT'
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" exfat "$PWD/exfat" 64
mkdir exfat/c
for bundle in stick/*.sea.tar.zst; do zstd -qdc "$bundle" | tar -C exfat/c -xf - --no-same-owner; done
rm -rf joined
sea clone -q exfat/c joined
sea -C joined query --json | cut -d, -f1-3 >one
sea -C db query --json | cut -d, -f1-3 | diff one -
status 0 sea verify exfat/c
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" umount "$PWD/exfat"
EOT

t 'a file system whose largest file is smaller, and that does not say so: volumes' <<'EOT'
(trap '' XFSZ; ulimit -f 4000; sea -C db export -q --full --verify -o "$PWD/limited.sea.tar.zst")
[ "$(ls limited.sea.tar.zst.00? | wc -l)" -ge 2 ]
[ ! -e limited.sea.tar.zst ]
status 0 sea verify limited.sea.tar.zst.001
rm -rf lab
status 0 sea clone -q limited.sea.tar.zst lab
sea -C lab get --raw a photo | cmp - photo
EOT
