# sealed: yes
# What somebody can do with a bundle who has no sea: a reader from the pages alone, and tar.
reader="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Tests/reader"
export reader
read=
[ -z "$SEA_TEST_SEALED" ] || read="--password-file $SEA_PASSWORD_FILE"
export read

t 'the second reader finds what was exported, however it is compressed' <<'EOT'
sea init -q --name=field --content-type=org.example.notes field
seq 1500 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C field put -q --chunk=1 -
head -c 3000000 /dev/urandom >photo
sea -C field set -q r1 "photo:asset@$PWD/photo"
sea -C field query --json >records
for kind in none gzip xz zstd; do
  sea -C field export -q --compress=$kind -o "$PWD/$kind.bundle"
  $reader/sea_bundle.py $kind.bundle >$kind.said
  cmp none.said $kind.said
done
sea -C field export --json -o "$PWD/again.bundle" >out
says out "\"manifest\":\"$(head -1 none.said)\""
cmp zstd.bundle again.bundle
grep -q '\.blocks$' none.said
grep -q ' assets/' none.said
EOT

t 'tar makes a container of it' <<'EOT'
for kind in none gzip xz zstd; do
  mkdir $kind.folder
  case $kind in
    zstd) zstd -dqc zstd.bundle | tar -x -C zstd.folder -f - ;;
    *) tar -xf $kind.bundle -C $kind.folder ;;
  esac
  $reader/sea_reader.py $read $kind.folder | cmp - records
  echo "$(sha256sum <$kind.folder/MANIFEST.json | cut -d' ' -f1)" | cmp - $kind.folder/END
done
bsdtar -tf zstd.bundle | head -2 | tr '\n' ' ' >out
says out 'MANIFEST.json info.json'
EOT

t 'a container that a bundle was unpacked into is one without strangers' <<'EOT'
sea clone -q none.folder lab
sea -C lab query --json | cmp - records
sea verify --porcelain none.folder >out
fails grep -q foreign out
EOT

t 'volumes are put together with cat' <<'EOT'
sea -C field export -q --compress=none --split=1000000 -o "$PWD/cut.bundle"
[ "$(ls cut.bundle.0* | wc -l)" -gt 3 ]
cat cut.bundle.0* | cmp - none.bundle
$reader/sea_bundle.py cut.bundle.0* | cmp - none.said
mv cut.bundle.002 away
status $UNREACHABLE sea verify cut.bundle
grep -q cut.bundle.002 out err
EOT

t 'the bundles of the second writer verify' <<'EOT'
for ending in tar tar.gz tar.xz tar.zst; do
  ${PYTHON:-/usr/bin/python3} "$SEA_TEST_ROOT/Tests/hostile/make_base.py" strange.$ending
  sea verify strange.$ending
done
EOT
