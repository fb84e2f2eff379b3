# limit: 180
# Bundles by somebody who means harm. Whatever comes: nothing outside the database changes, a refusal leaves it as it was
# and no debris, and a good bundle is taken in afterwards. Tests/hostile/make_evil.py says what each one tries.
hostile="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Tests/hostile"
export hostile

t 'good ones, and what the database begins with' <<'EOT'
$hostile/make_base.py first.tar --blocks 1
$hostile/make_base.py base.tar
$hostile/make_base.py other.tar --seed 2
for ending in tar tar.gz tar.xz tar.zst; do
  $hostile/make_base.py small.$ending --instances 1 --blocks 3
done
sea clone -q first.tar one
sea -C one import -q "$PWD/base.tar"
sea -C one verify -q
[ "$(sea -C one query --json | wc -l)" -eq 22 ]
EOT

# The importer, and what must be the same behind a refusal.
cat >run.sh <<EOF
exec $hostile/make_evil.py run "\$1/manifest.jsonl" --base "\$2" -j 2 --timeout 120 \\
  --init "cp -r $PWD/begin/. {store}" --cmd 'exec sea -C {store} import {bundle}' --verify 'exec sea -C {store} verify' \\
  --dump 'sea -C {store} query --json; sea -C {store} heads; exec sea -C {store} assets'
EOF
sea clone -q first.tar begin

t 'a corpus of known attacks' <<'EOT'
$hostile/make_evil.py corpus corpus $([ "$SEA_TEST_MORE" = 1 ] || echo --big)
sh run.sh corpus "$PWD/base.tar"
EOT

for kind in tar:200 tar.gz:40 tar.xz:40 tar.zst:40; do
  export ending=${kind%:*} number=${kind#*:}
  t "a good bundle changed in $number ways, $ending" <<'EOT'
$hostile/make_evil.py derive small.$ending changed-$ending --other other.tar --sample $((number * SEA_TEST_MORE)) --seed $SEA_TEST_SEED
sh run.sh changed-$ending "$PWD/small.tar"
EOT
done
