# What becomes of random histories must be what a second program makes of them, which was written from sea-merge(5) alone:
# the same revisions, and no other ones.
reader="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Tests/reader"
unset SEA_PASSWORD_FILE

for number in $(seq $((2 * SEA_TEST_MORE))); do
  seed=$((SEA_TEST_SEED * 1000 + number))
  rm -rf random here there
  t "random histories, seed $seed: two instances merge them as the second reader does" <<EOT
$reader/random_merges.py $seed 400
sea clone -q --name=here random here
sea clone -q --name=there random there
sea -C there pull -q
sea -C here sync -q
sea -C there sync -q
$reader/random_merges.py --check random >out
says out ' 400 records, 0 wrong'
grep -q '"merged": [1-9][0-9]' out
sea -C here sync -q
sea -C here query --json >here.records
sea -C there query --json | cmp - here.records
$reader/sea_reader.py random | cmp - here.records
EOT
done
