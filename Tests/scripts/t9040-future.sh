# limit: 60
# What a later version may write: kept, handed on, passed over or refused, as the pages say of each kind.
export reader="$SEA_TEST_ROOT/Tests/reader"
cat >make.py <<'EOX'
# A container of somebody whose program is newer: make.py FOLDER [sealed]
import os, sys
sys.path.insert(0, os.environ["reader"])
from block_vectors import BIRD, ONE
from chain_vectors import EDIT, RIVAL, info, tree
from sea_sealer import KEYS, Sealed, epoch_entry, password_slot
from sea_writer import Instance, Raw, Tag, change, enc, named, sha, state

root, sealed = sys.argv[1], len(sys.argv) > 2
database = named(Instance("field").key, sealed=sealed)
field = (Sealed if sealed else Instance)("field", database)
lab = (Sealed if sealed else Instance)("lab", database)
seal = 1 if sealed else 0
slots, first = [], []
if sealed:
    header = {"epoch": 1, "database": database.bytes}
    slots = [password_slot("one", KEYS[1], database=database),
             enc([enc({"slot": "later", "what": [1, None]} | header), b"x", 7]),
             enc([enc({"slot": "password", "kdf": "argon2id", "lanes": 4} | header), bytes(32), bytes(12), bytes(48)])]
    first = [epoch_entry(1, KEYS[1], *slots)]
    # One that no entry lists.
    slots.append(enc([enc({"slot": "unlisted"})]))
blocks = [field.genesis(*first)]
def add(items, **options):
    blocks.append(field.block(items, state(blocks[-1]), **options))
add([ONE])
add([EDIT], needs=["later"])                                         # a feature
add([BIRD], body=enc([2, "whatever"]), mode=4 | seal)                 # a format
add([], body=b"nobody knows", mode=0x44 | seal)                      # a bit of the mode
add([{"control": "later", "what": [1, None]}])                       # a control entry
add([change("v", {"a": Tag(40000, 1)})])                             # a kind of value
add([change("k", {"a": 1}, kind="later")])                           # a kind of revision
add([EDIT], about={"time": 1, "later": {"x": [1]}})                  # a key of `about`
add([BIRD])
other = [lab.genesis()]
other.append(lab.block([RIVAL], state(other[0]), heads=[(field, blocks[-1])]))
files = info(database) | tree(str(field.id), blocks) | tree(str(lab.id), other) | {f"keys/{sha(one).hex()}": one for one in slots}
text = files["info.json"].decode().rstrip()
files["info.json"] = (text[:-1] + ',"later":{"a":[1,"}"]},"more":null}\n').encode()
files["future/1/0"] = b"a kind of folder"
for path, data in files.items():
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), "wb") as file:
        file.write(data)
EOX
cat >bundle.py <<'EOX'
# The same bundle with something in it of a later version: bundle.py KIND FROM TO
import hashlib, os, sys, tarfile
sys.path.insert(0, os.environ["reader"])
from sea_bundle import header
kind, source, target = sys.argv[1:]
with tarfile.open(source) as tar:
    members = [(m.name, tar.extractfile(m).read()) for m in tar]
text, files = members[0][1].decode(), members[1:-1]
if kind == "key":
    text = text.replace('"absentAssets"', '"later":1,"absentAssets"', 1)
elif kind == "version":
    text = text.replace('"sea":4', '"sea":5', 1)
elif kind == "older":
    text = text.replace('"sea":4', '"sea":3', 1)
elif kind == "member":
    data, count, size = b"of the future", text.split('"members":')[1].split(",")[0], text.split('"bytes":')[1].split(",")[0]
    text = text.replace(f'"members":{count},"bytes":{size}', f'"members":{int(count) + 1},"bytes":{int(size) + len(data)}')
    text = text.replace("\n]}\n", ',\n{"path":"future/1","size":%d,"sha256":"%s"}\n]}\n' % (len(data), hashlib.sha256(data).hexdigest()))
    files.append(("future/1", data))
elif kind == "info":
    old = files[0][1]
    new = old.rstrip()[:-1] + b',"later":1}\n'
    files[0] = (files[0][0], new)
    size = text.split('"bytes":')[1].split(",")[0].split("\n")[0]
    text = text.replace('"size":%d,"sha256":"%s"' % (len(old), hashlib.sha256(old).hexdigest()), '"size":%d,"sha256":"%s"' % (len(new), hashlib.sha256(new).hexdigest()))
    text = text.replace(f'"bytes":{size}', f'"bytes":{int(size) + len(new) - len(old)}')
files = [("MANIFEST.json", text.encode()), *files, ("END", hashlib.sha256(text.encode()).hexdigest().encode() + b"\n")]
with open(target, "wb") as file:
    for name, data in files:
        file.write(header(name, len(data)) + data + bytes(-len(data) % 512))
    file.write(bytes(1024))
EOX

for kind in plain sealed; do
  export kind
  t "$kind: blocks, slots, files and keys of the future are kept and handed on" <<'EOT'

unset SEA_PASSWORD_FILE
rm -rf box there next again before
given=
if [ $kind = sealed ]; then
  echo one >pw
  chmod 600 pw
  given=--password-file=$PWD/pw
fi
/usr/bin/python3 make.py box $([ $kind = plain ] || echo sealed)
cp -r box before
status 0 sea clone $given --name=mine box there
says err 'not-readable'
says err 'bad-payload'
# What follows goes on, and what could be read counts.
[ "$(sea -C there query --json | wc -l)" = 2 ]
status 0 sea -C there --json status
grep -q '"not-readable"' out
sea -C there set -q --create mine n:=1
sea -C there add-container -q --create next "$PWD/next"
sea -C there sync -q 2>/dev/null
# Byte by byte, wherever it goes.
(cd before && find transactions -type f) | while read -r path; do cmp "before/$path" "next/$path"; done
(cd before && find . -type f ! -path './transactions/*') | while read -r path; do cmp "before/$path" "box/$path"; done
if [ $kind = sealed ]; then
  # Of slots those that an entry lists.
  for one in before/keys/*; do
    if grep -q unlisted "$one"; then [ ! -e "next/keys/${one##*/}" ]; else cmp "$one" "next/keys/${one##*/}"; fi
  done
  status 0 sea -C there --json passwd --list
  [ "$(grep -c '"event":"slot"' out)" = 1 ]
fi
# Nothing of it is wrong but what its author has signed as it is; the folder is not ours.
status 0 sea -C there verify --porcelain next
if grep -q 'bad-slot\|foreign' out err; then exit 1; fi
status $CORRUPT sea -C there verify --porcelain
says out 'not-readable'
status 0 sea -C there verify --porcelain origin
[ "$(grep -c foreign-file out)" = 1 ]
says out 'future'
# A bundle carries all of it, too.
sea -C there export -q --compress=none --force -o ../whole.tar
status 0 sea clone $given --name=other whole.tar again
[ "$(sea -C again query --json)" = "$(sea -C there query --json)" ]
sea -C again export -q --compress=none --force -o ../second.tar
mkdir one two
tar xf whole.tar -C one
tar xf second.tar -C two
(cd one && find transactions keys -type f 2>/dev/null) | while read -r path; do cmp "one/$path" "two/$path"; done
rm -rf one two before
EOT

  t "$kind: a bundle is of one version, and what is not in that one is refused" <<'EOT'
unset SEA_PASSWORD_FILE
before=$(sea -C there heads)
try() { # KIND STATUS WORDS
  /usr/bin/python3 bundle.py "$1" whole.tar later.tar
  status "$2" sea -C there import ../later.tar
  [ -z "$3" ] || says err "$3"
  status "$2" sea verify later.tar
  [ "$(sea -C there heads)" = "$before" ]
}
try none 0 ''
try version 11 'format 5'
try older 11 'format 3'
try key 5 'manifest'
try member 5 'manifest'
try info 5 'manifest'
EOT
done

t 'a container of a newer format is refused, and so is one whose proof is another' <<'EOT'
sed 's/"sea":4/"sea":5/' box/info.json >info
cp info box/info.json
status $INCOMPATIBLE sea clone box no
[ ! -e no ]
says err 'has unsupported container format 5'
EOT

t 'a database of an earlier build is refused in one line' <<'EOT'
unset SEA_PASSWORD_FILE
sea init -q --name=old old
sea -C old put -q '{"n":1}'
sea -C old add-container -q --create c "$PWD/c"
sea -C old sync -q
sed 's/"sea":4/"sea":3/' c/info.json >info
cp info c/info.json
status $INCOMPATIBLE sea clone c no
[ ! -e no ]
[ "$(wc -l <err)" = 1 ]
says err "/c/info.json' has unsupported container format 3"
status $INCOMPATIBLE sea -C old sync
/usr/bin/python3 -c 'import sqlite3; sqlite3.connect("old/.sea/db").execute("PRAGMA user_version = 13")'
for command in query sync 'put {}' verify doctor; do
  status $INCOMPATIBLE sea -C old $command
  [ "$(wc -l <err)" = 1 ]
  says err 'the database has unsupported format 13'
done
EOT
