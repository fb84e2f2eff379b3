# limit: 120
# sealed: yes
# Content of files becomes assets, and comes back.
cat >peak <<'EOR'
#!/usr/bin/python3
# peak KIB COMMAND: the command must not need more memory than that.
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if peak > int(sys.argv[1]): sys.exit("%d KiB of memory" % peak)
sys.exit(status)
EOR
chmod +x peak

t 'content comes back byte for byte, whatever its size' <<'EOT'
sea init -q --name=one db
for n in 0 1 65535 65536 65537 131072 1048576 1048577 3000001; do
  head -c $n /dev/urandom >f$n
  sea -C db set -q --create r f$n:asset@../f$n
done
for n in 0 1 65535 65536 65537 131072 1048576 1048577 3000001; do
  sea -C db get --raw r f$n | cmp - f$n
  [ "$(sea -C db get --json r f$n | jq -r .size)" = $n ]
  [ "$(sea -C db get --json r f$n | jq -r .sha256)" = "$(sha256sum <f$n | cut -d' ' -f1)" ]
done
[ "$(find db/.sea/assets -type f | wc -l)" -eq 9 ]
sea -C db verify -q
EOT

t 'an asset can have a semantic type, as other values have' <<'EOT'
printf portrait >ada.jpg
echo other >text
sea -C db set -q --create ada photo:asset[Portrait]@../ada.jpg
[ "$(sea -C db get --json ada photo | jq -r '.["$label"]')" = Portrait ]
[ "$(sea -C db get --json ada photo | jq -r '.["$value"].size')" = 8 ]
sea -C db get --raw ada photo | cmp - ada.jpg
# It travels, also with other content, and goes when it is taken away.
sea -C db set -q ada photo:asset@../text
[ "$(sea -C db get --json ada photo | jq -r '.["$label"]')" = Portrait ]
[ "$(sea -C db assets ada | wc -l)" -ge 1 ]
sea -C db set -q ada 'photo:asset[]@../ada.jpg'
[ "$(sea -C db get --json ada photo | jq -r '.["$label"]')" = null ]
sea -C db gc -q
sea -C db verify -q
EOT

t 'plain content is the file itself, sealed content is nowhere in the clear' <<'EOT'
echo 'a text that is easily found again' >text
sea -C db set -q --create s text:asset@../text
file=db/.sea/assets/$(sea -C db get --json s text | jq -r '.["$asset"]' | sed 's,/,/1/,')
if [ "$SEA_TEST_SEALED" ]; then
  [ "$(stat -c %s "$file")" -eq $(($(stat -c %s text) + 64)) ]
  fails grep -r 'easily found' db/.sea/assets
else
  cmp "$file" text
fi
EOT

t 'libmagic says what it is' <<'EOT'
printf '\211PNG\r\n\032\n\000\000\000\rIHDR\000\000' >p.png
gzip -c text >z.gz
sea -C db set -q --create m a:asset@../p.png b:asset@../text c:asset@../z.gz
for key in a b c; do sea -C db get --json m $key | jq -r .mime; done >out
same out <<'EOX'
image/png
text/plain
application/gzip
EOX
EOT

t 'standard input, a pipe and a device are content too' <<'EOT'
sea -C db set -q --create i a:asset@- <f3000001
sea -C db get --raw i a | cmp - f3000001
mkfifo fifo
cat f1048577 >fifo &
sea -C db set -q i b:asset@../fifo
sea -C db get --raw i b | cmp - f1048577
sea -C db set -q i c:asset@/dev/null
[ -z "$(sea -C db get --raw i c)" ]
[ -z "$(find db/.sea -name '.sea-tmp-*')" ]
EOT

t 'the same content is stored once' <<'EOT'
before=$(find db/.sea/assets -type f | wc -l)
cp f3000001 other
sea -C db set -q --create d a:asset@../other b:asset@../f3000001
[ "$(find db/.sea/assets -type f | wc -l)" -eq "$before" ]
[ "$(sea -C db get --json d a)" = "$(sea -C db get --json d b)" ]
sea -C db set d a:asset@../f3000001 >out
grep -q '^unchanged' out
echo 'new twice' >twice
sea -C db set -q --create e a:asset@../twice b:asset@../twice
[ "$(find db/.sea/assets -type f | wc -l)" -eq $((before + 1)) ]
[ "$(sea -C db get --json e a)" = "$(sea -C db get --json e b)" ]
EOT

t 'a failed set-asset leaves nothing' <<'EOT'
find db/.sea/assets -type f | sort >before
echo new >new
status $SYSTEM sea -C db set --create x a:asset@../nowhere
status $SYSTEM sea -C db set --create x a:asset@..
status $USAGE sea -C db set --create x a:asset=text
status $CONFLICT sea -C db set --if-rev=none r f1:asset@../new
status $BAD_DATA sea -C db set r f1=text
status $NOT_FOUND sea -C db set nobody f1:asset@../new
status 0 sea -C db set -n --create x a:asset@../new
says out created
status $NOT_FOUND sea -C db get x
find db/.sea/assets -type f | sort | diff before -
EOT

t 'a file that somebody goes on writing to, its size the same, is refused' <<'EOT'
sea init -q torn
sea -C torn put -q '{"_id":"r"}'
cat >writer <<'EOP'
import os, sys, time
file = os.open(sys.argv[1], os.O_RDWR)
last = os.fstat(file).st_size - 1
end = os.pread(file, 1, last)
open("writes", "w").close()
# What is written is what stands there already: nothing but the times of the file tell.
while True:
    os.pwrite(file, end, last)
    time.sleep(0.0002)
EOP
changes() {
  rm -f writes
  /usr/bin/python3 writer "$1" &
  writer=$!
  trap 'kill $writer' EXIT
  while [ ! -e writes ]; do sleep 0.01; done
  shift
  "$@"
  kill $writer
  trap - EXIT
}
head -c 50000000 /dev/zero >big
seq 5000 | sed 's/.*/{"_id":"d&","n":&}/' >docs
# The times of a file advance every few milliseconds, so that reading it has to take longer; on a busy machine the writer goes first.
seq 3000000 >long
changes big status 12 nice -n 19 sea -C torn set r f:asset@"$PWD/big"
says err 'error[file-changed]'
says err "big' changed while it was read"
changes docs status 12 nice -n 19 sea -C torn put "$PWD/docs"
says err 'error[file-changed]'
changes long status 12 nice -n 19 sea -C torn set r t:string@"$PWD/long"
says err 'error[file-changed]'
[ "$(sea -C torn get r --json | jq -c 'keys')" = '["_id","_rev"]' ]
[ "$(sea -C torn query --count)" = 1 ]
[ -z "$(find torn/.sea/assets -type f)" ]
status 0 sea -C torn set r f:asset@"$PWD/big" t:string@"$PWD/long"
EOT

t 'content that was damaged here is told, after the bytes' <<'EOT'
echo precious >precious
sea -C db set -q --create y a:asset@../precious
file=db/.sea/assets/$(sea -C db get --json y a | jq -r '.["$asset"]' | sed 's,/,/1/,')
spoil "$file" 3
status $CORRUPT sea -C db get --raw y a
says err 'error[bad-asset]'
printf X >>"$file"
status $UNREACHABLE sea -C db get --raw y a
rm "$file"
status $UNREACHABLE sea -C db get --raw y a
says err 'error[asset-missing]'
status $UNREACHABLE sea -C db get --raw --fetch y a
# It can be put back: the content is known.
sea -C db set -q y a:asset@../precious b:=1
sea -C db get --raw y a | cmp - precious
EOT

t 'a reference that a file claims is read like any other, and never believed' <<'EOT'
claim() { sea -C db get --json y a | jq -c '{_id:"claim",a:.}' | sed "s,\"\([0-9a-f-]\{36\}\)/[0-9]*\",\"\1/$1\","; }
# Another number of files than its size takes is no reference.
claim 0-4294967295 >claim.json
status $BAD_DATA sea -C db put - <claim.json
# Content that is known is had from where it is; other content is not there.
claim 4294967290 | sea -C db put -q -
sea -C db get --raw claim a | cmp - precious
claim 4294967290 | sed 's/"sha256":"[0-9a-f]\{8\}/"sha256":"00000000/' | sea -C db put -q -
status $UNREACHABLE sea -C db get --raw claim a
sea -C db get --raw y a | cmp - precious
EOT

t 'kill -9 anywhere: the record has its content, or there is no record' <<'EOT'
sea init -q --name=k kill
head -c 5000000 /dev/urandom >big
k=0
for call in pwrite64 fsync renameat2 fdatasync; do
  for when in 1 2 3 5; do
    k=$((k + 1))
    strace -f -o trace -e trace=$call -e inject=$call:signal=KILL:when=$when \
      sea -C kill set -q --create "r$k" a:asset@../big >log 2>&1 || true
    if sea -C kill get -e "r$k"; then sea -C kill get --raw "r$k" a | cmp - big; fi
  done
done
sea -C kill verify -q
sea -C kill set -q --create last a:asset@../big
sea -C kill get --raw last a | cmp - big
EOT

t 'a file of more than 1 GiB is two and a list of pieces, in little memory' <<'EOT'
truncate -s 1073741829 sparse
sea init -q --name=big huge
./peak 100000 sea -C huge set -q --create r a:asset@../sparse
sea -C huge get --json r a | jq -r '.["$asset"]' | grep -q '/0-2$'
find huge/.sea/assets -type f -printf '%s\n' | sort -n >out
if [ "$SEA_TEST_SEALED" ]; then printf '69\n2144\n1074004016\n' | same out; else printf '5\n2080\n1073741824\n' | same out; fi
./peak 100000 sea -C huge get --raw r a >back
cmp back sparse
rm -rf huge back sparse
EOT

t 'the media type can be given' <<'EOT'
printf 'no picture' >pic
sea init -q --name=two said
status 0 sea -C said set --create pic 'photo:asset[image/jpeg]@../pic' 'page:asset[text/html; charset=utf-8]@../pic'
[ "$(sea -C said get --json pic | jq -r '.photo.mime + "|" + .page.mime')" = 'image/jpeg|text/html; charset=utf-8' ]
[ "$(sea -C said get --raw pic photo)" = 'no picture' ]
status 0 sea -C said set --create other photo:asset@../pic
[ "$(sea -C said get --json other | jq -r .photo.mime)" = 'text/plain' ] || sea -C said get --json other >&2
status 0 sea -C said verify
for bad in /jpeg image/ 'image/j]g' "image/$(printf 'x%.0s' $(seq 260))"; do
  status $USAGE sea -C said set pic "photo:asset[$bad]@../pic"
done
EOT

t 'the location of the files of an asset' <<'EOT'
status 0 sea -C said get --path pic photo
[ -n "$SEA_TEST_SEALED" ] || cmp "$(cat out)" pic
[ -f "$(cat out)" ]
status 0 sea -C said get --json --path pic photo page
jq -e 'startswith("/")' out >/dev/null
status $BAD_DATA sea -C said get --path pic photo/mime || status $NOT_FOUND sea -C said get --path pic photo/mime
sea -C said set -q pic n=1
status $BAD_DATA sea -C said get --path pic n
status $USAGE sea -C said get --path --raw pic photo
status $USAGE sea -C said get --path pic
EOT
