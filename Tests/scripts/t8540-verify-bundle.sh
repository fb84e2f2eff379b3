# sealed: yes
# Needs no database, no passphrase, and room for one block.

t 'a bundle is verified where there is nothing else' <<'EOT'
sea init -q --name=a --content-type=org.example.x a
sea -C a export -q -o ../first.tar --compress=none
head -c 40000 /dev/urandom >p
cd a
sea set -q --create r1 n:=1 photo:asset@../p
sea set -q r1 n:=2
mkdir ../KIT
sea export -q --to=../KIT/x
sea set -q r1 n:=3
sea export -q --to=../KIT/x
cd ..
mkdir empty
cd empty
unset SEA_PASSWORD_FILE
full=../KIT/x/x-a-0001-full.sea.tar.zst
status 0 sea verify $full
says out "$full: chain "
says out ' 3 blocks'
says out "$full: 1 asset ok"
status 0 sea verify ../KIT/x/x-a-0002-incr.sea.tar.zst
says out ' 1 block from 3 ok'
status 0 sea verify ../KIT/x
[ "$(grep -c chain out)" = 2 ]
status 0 sea verify - <$full
says out 'standard input: chain '
status 0 sea --json verify $full
jq -e -s '.[0].event == "chain" and .[0].blocks == 3 and .[1].event == "bundle" and .[1].assets == 1 and .[2].ok' \
  out >/dev/null
status 0 sea verify --porcelain $full
[ "$(cut -f1 out | sort -u)" = ok ]
EOT

t 'the chain is looked at, not only the manifest' <<'EOT'
mkdir t
zstd -qdc KIT/x/x-a-0001-full.sea.tar.zst >whole.tar
cat >forge.py <<'EOX'
# A bundle whose digests are right and whose block is not what its author signed.
import hashlib, os, sys, tarfile
sys.path.insert(0, os.environ["SEA_TEST_ROOT"] + "/Tests/reader")
from sea_header import forged
source, target = sys.argv[1:]
with tarfile.open(source) as tar:
    members = [(m.name, tar.extractfile(m).read()) for m in tar]
name, data = [m for m in members if m[0].endswith('/1/2')][0]
block = forged(data, -6)
manifest = members[0][1].decode()
for old, new in ((data, block),):
    manifest = manifest.replace(hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest())
out = [(n, block if n == name else manifest.encode() if n == 'MANIFEST.json' else d) for n, d in members[:-1]]
out.append(('END', (hashlib.sha256(manifest.encode()).hexdigest() + '\n').encode()))
raw = open(source, 'rb').read()
result, at = b'', 0
for n, d in out:
    header = raw[at:at + 512]
    size = int(header[124:135], 8)
    assert size == len(d), n
    result += header + d + b'\0' * (-len(d) % 512)
    at += 512 + size + (-size % 512)
open(target, 'wb').write(result + raw[at:])
EOX
/usr/bin/python3 forge.py whole.tar forged.tar
# Who has no key cannot check signatures.
if [ -n "$SEA_TEST_SEALED" ]; then
  status $CORRUPT sea -C a verify --keys ../forged.tar
else
  status $CORRUPT sea verify forged.tar
  says out 'bad-signature'
fi
EOT

t 'import refuses an invalid bundle as a whole' <<'EOT'
sea clone -q --name=b first.tar b
before=$(sea -C b heads)
status $CORRUPT sea -C b import ../forged.tar
says err 'forged.tar'
[ "$(sea -C b heads)" = "$before" ]
[ "$(sea -C b query --count)" = 0 ]
[ -z "$(find b/.sea/assets -type f 2>/dev/null)" ]
status 0 sea -C b status
if grep quarantine out; then exit 1; fi
sea -C b import -q ../whole.tar
EOT

t 'damage anywhere is found' <<'EOT'
sea -C a export -q -o ../plain.tar --compress=none
size=$(stat -c %s plain.tar)
for at in $(seq 0 1499 $((size - 1))); do
  cp plain.tar flip.tar
  old=$(od -An -tu1 -j$at -N1 plain.tar | tr -d ' ')
  printf "\\$(printf %o $(((old + 1) % 256)))" | dd of=flip.tar bs=1 seek=$at conv=notrunc status=none
  have=0
  sea verify flip.tar >out 2>err || have=$?
  case $have in 5|11) ;; *) echo "$at of $size: $have"; cat out err; exit 1 ;; esac
done
for kind in zstd xz gzip; do
  sea -C a export -q -o ../one --compress=$kind
  size=$(stat -c %s one)
  for cut in 0 1 17 $((size / 3)) $((size - 1)); do
    head -c $cut one >cut
    have=0
    sea verify cut >out 2>err || have=$?
    case $have in 5|11) ;; *) echo "$kind $cut: $have"; exit 1 ;; esac
  done
  says out 'cut: truncated: ends too early'
done
status $CORRUPT sea --json verify cut
jq -e -s '.[0].event == "problem" and .[0].code == "truncated" and .[1].exit == 5' out >/dev/null
EOT

t 'a file of another kind is reported' <<'EOT'
echo hello >no
status $INCOMPATIBLE sea verify no
status $UNREACHABLE sea verify nothing.tar.zst
mkdir nothing
status $INCOMPATIBLE sea verify nothing
EOT

t 'memory stays small' <<'EOT'
sea init -q --name=m m
head -c 40000000 /dev/urandom | base64 -w 0 >big
(printf '{"t":"'; cat big; printf '"}') | sea -C m put -q -
sea -C m export -q -o ../m.tar.zst
(ulimit -v 1500000; sea verify m.tar.zst)
EOT
