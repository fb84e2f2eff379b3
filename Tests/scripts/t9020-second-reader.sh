# limit: 120
# sealed: yes
# A reader that somebody else wrote, from the pages of the format alone, must see in a container what sea sees in a
# database: the same records to the byte, and the same heads. Instances make the containers by working at random.
reader="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Tests/reader"
export reader
# What opens a sealed container.
read=
[ -z "$SEA_TEST_SEALED" ] || read="--password-file $SEA_PASSWORD_FILE"
export read

for number in $(seq $((3 * SEA_TEST_MORE))) sealed; do
  seed=$number-$SEA_TEST_SEED
  rm -rf one two three left right
  export seed
  t "three instances at random, seed $seed: one content, whoever reads it" <<'EOT'
case $seed in sealed-*)
  echo quarrel >pass
  chmod 600 pass
  export SEA_PASSWORD_FILE=$PWD/pass HOME=$PWD/home
  read="--password-file $PWD/pass"
  mkdir home
  sea config --global set init.encrypt true
esac
$reader/random_work.py $seed 40
[ $seed = ${seed#sealed} ] || [ -d left/keys ]
for container in left right; do
  $reader/sea_reader.py $read $container >$container.records
  $reader/sea_reader.py $read --heads $container >$container.heads
  [ $(wc -l <$container.records) -gt 15 ]
done
for instance in one two three; do
  sea -C $instance query --json >$instance.records
  sea -C $instance heads >$instance.heads
  sea -C $instance verify
  for container in left right; do
    cmp $instance.records $container.records
    cmp $instance.heads $container.heads
  done
done
EOT
done

t 'folded folders' <<'EOT'
sea init -q --name=many --content-type=org.example.random many
seq 2345 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C many put -q --chunk=1 -
sea -C many add-container -q --create folder ../folder
sea -C many push -q
[ "$(find folder -name '*.blocks' | wc -l)" -eq 2 ]
$reader/sea_reader.py $read folder >records
sea -C many query --json | cmp - records
$reader/sea_reader.py $read --heads folder >heads
sea -C many heads | cmp - heads
EOT

t 'both refuse the same block' <<'EOT'
file=$(find folder -path '*/1.blocks' -not -path '*/2/*')
size=$(wc -c <"$file")
printf '\377\377\377\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
status $CORRUPT $reader/sea_reader.py $read folder
code=$(sed -n '1s/ .*//p' err)
index=$(sed -n '1s|.*/||p' err)
status $CORRUPT sea verify --porcelain folder
grep "^$code" out | grep -q "	$index	"
EOT

t 'a sealed database with members: what a password opens, and what is held' <<'EOT'
echo one >one.pass
echo two >two.pass
chmod 600 *.pass
alike() { # what the reader sees with this password is what the founder sees
  $reader/sea_reader.py --password-file $1 sealed >records
  sea -C first query --json | cmp - records
  $reader/sea_reader.py --heads --password-file $1 sealed >heads
  sea -C first heads | cmp - heads
}
sea init -q --name=first --encrypt --require-auth --content-type=org.example.random --password-file=one.pass first
echo '{"_id":"a/1","n":1}' | sea -C first put -q -
sea -C first add-container -q --create sealed ../sealed
sea -C first sync -q
alike one.pass
sea clone -q --name=second --password-file=one.pass sealed second
echo '{"_id":"b/1","n":2}' | sea -C second put -q -
sea -C second sync -q
sea -C first sync -q
alike one.pass
[ "$(wc -l <records)" -eq 1 ]
words=$(sea -C first --json instances --pending --fingerprint | sed 's/.*"fingerprint":"\([^"]*\)".*/\1/')
sea -C first authorize -q --fingerprint="$words" second
sea -C first sync -q
alike one.pass
[ "$(wc -l <records)" -eq 2 ]
sea -C first --password-file=../one.pass passwd -q --rotate
sea -C first --password-file=../one.pass passwd -q --new-password-file=../two.pass
echo '{"_id":"a/1","n":3}' | sea -C first put -q -
sea -C first sync -q
alike two.pass
status $DENIED $reader/sea_reader.py --password-file one.pass sealed
sea -C second sync -q
sea -C first revoke -q second
echo '{"_id":"b/2","n":4}' | sea -C second put -q -
sea -C second sync -q
sea -C first passwd -q --add --new-password-file=../two.pass
sea -C first sync -q
alike two.pass
[ "$(wc -l <records)" -eq 2 ]
EOT

# Whole histories that the second writer has made up: members, forks, successors, recovery, compressed, sealed, purged and odd blocks.
t "histories of another writer, seed $SEA_TEST_SEED: the same records, heads and members" <<'EOT'
$reader/random_histories.py $((8 * SEA_TEST_MORE)) --seed "$SEA_TEST_SEED" --sea sea
EOT

# Of some thousand histories these differed once.
t 'a predecessor that nobody let in; a head behind what nobody may have removed; rounds with their own clocks' <<'EOT'
$reader/random_histories.py 1 --seed candidate-3 --from 1151 --sea sea
$reader/random_histories.py 1 --seed candidate-3 --from 1429 --sea sea
$reader/random_histories.py 1 --seed candidate-4 --from 655 --sea sea
$reader/random_histories.py 1 --seed candidate-5 --from 41 --sea sea
$reader/random_histories.py 1 --seed candidate-5 --from 76 --sea sea
EOT
