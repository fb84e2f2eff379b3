#!/bin/bash
# fatmount.sh {exfat|fat} MOUNTPOINT [MiB] | fatmount.sh umount MOUNTPOINT
# Real exFAT / FAT32 semantics without kernel support, through FUSE (apt: exfat-fuse exfatprogs fusefat dosfstools; needs root).
# exfat-fuse wants a block device (losetup); fusefat takes the image. A test fails when this returns non-zero.
set -e
if [ "$1" = umount ]; then umount "$2"; [ -f "$2.loop" ] && { losetup -d "$(cat "$2.loop")"; rm -f "$2.loop"; }; rm -f "$2.img"; exit 0; fi
n=${3:-64}; mkdir -p "$2"; dd if=/dev/zero of="$2.img" bs=1M count="$n" status=none
case "$1" in
 exfat) mkfs.exfat "$2.img" >/dev/null; l=$(losetup -f --show "$2.img"); echo "$l" > "$2.loop"; mount.exfat-fuse "$l" "$2" >/dev/null 2>&1;;
 fat)   mkfs.vfat -F 32 "$2.img" >/dev/null; fusefat -o rw+ "$2.img" "$2" >/dev/null 2>&1; sleep 1;;
esac
mountpoint -q "$2"
