# A reader that somebody else wrote, from the pages of the format alone, must see in a container what sea sees in a
# database: the same records to the byte, and the same heads. Instances make the containers by working at random.
reader="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Tests/reader"
export reader
# What opens a sealed container.
read=
[ -z "$SEA_TEST_SEALED" ] || read="--password-file $SEA_PASSWORD_FILE"
export read

for seed in 1 2 3; do
  rm -rf one two three left right
  export seed
  t "three instances at random, seed $seed: one content, whoever reads it" <<'EOT'
$reader/random_work.py $seed 40
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
printf '\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
status 5 $reader/sea_reader.py $read folder
code=$(sed -n '1s/ .*//p' err)
index=$(sed -n '1s|.*/||p' err)
status 5 sea verify --porcelain folder
grep "^$code" out | grep -q "	$index	"
EOT
