# sealed: yes
t 'blocks that only one of instance and bundle has' <<'EOT'
sea init -q --name=a a
sea -C a set -q --create r1 n:=1
sea -C a export -q -o ../b0.tar.zst
sea clone -q --name=b b0.tar.zst b
sea -C a set -q r1 n:=2
sea -C a export -q -o ../b1.tar.zst
sea -C b set -q r1 m:=1
cd b
status 0 sea diff --bundle=../b1.tar.zst
grep -c '^< r1  2-' out
grep -c '^> r1  2-' out
[ "$(wc -l <out)" = 2 ]
status $NO sea diff --bundle=../b1.tar.zst --stat --exit-code
says out '> a  1 block, 1 change'
says out '< b  2 blocks, 1 change'
status 0 sea --json diff --bundle=../b1.tar.zst
jq -e -s 'map(.only) == ["here", "there"]' out >/dev/null
sea import -q --no-merge ../b1.tar.zst
sea export -q -o ../b2.tar.zst
status 0 sea diff --bundle=../b2.tar.zst --exit-code
[ ! -s out ]
EOT

t 'blocks before an incremental bundle count as present' <<'EOT'
sea -C a set -q r1 n:=3
sea -C a export -q --since=../b1.tar.zst -o ../b3.tar.zst
cd a
status 0 sea diff --bundle=../b3.tar.zst --exit-code
sea set -q r1 n:=4
status $NO sea diff --bundle=../b3.tar.zst --exit-code
[ "$(wc -l <out)" = 1 ]
EOT

t 'heads of a bundle' <<'EOT'
sea heads --bundle=b3.tar.zst >heads
[ "$(cut -f2 heads)" = 3 ]
sea -C a heads --have=../heads >out
[ "$(cut -f2,4 out)" = "4	4" ]
sea -C a export -q --since=../heads -o ../b4.tar --compress=none
tar xOf b4.tar MANIFEST.json | jq -e '.blocks == 1' >/dev/null
status $USAGE sea heads --bundle=b3.tar.zst --container=x
EOT

t 'damaged content is not printed' <<'EOT'
head -c 400 b1.tar.zst >cut
status $CORRUPT sea -C b diff --bundle=../cut
[ ! -s out ]
status $CORRUPT sea heads --bundle=cut
status $UNREACHABLE sea -C b diff --bundle=../nothing
sea init -q o
status $INCOMPATIBLE sea -C o diff --bundle=../b1.tar.zst
status $USAGE sea -C b diff --bundle=../b1.tar.zst --container=x
status $USAGE sea -C b diff --bundle=../b1.tar.zst --json-patch
EOT
