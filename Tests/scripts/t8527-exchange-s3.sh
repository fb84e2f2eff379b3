# limit: 240
# An exchange directory in a store: bundles there and back, and what no rule wants goes, with two servers.
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
start_moto
start_rclone
head -c 300000 /dev/urandom >photo
cat >both <<'EOX'
each() { for server in moto rclone; do (. "./env-$server" && "$@" "$server") || return 1; done; }
at=s3://bucket/team/kit
# The numbers of the bundles there.
names() {
  printf 'sea-helper 1\nlist .\nbye\n' | sea-remote-s3 $at | sed -n 's/^file .* birds-keeper-0*\([0-9]*\)-.*/\1/p' | sort -nu | tr '\n' ' '
}
EOX

t 'bundles go there and come back' <<'EOT'
. ./both
story() {
  sea init -q --name=keeper --content-type=org.example.birds "$1-keeper"
  sea -C "$1-keeper" set -q --create a photo:asset@"$PWD/photo"
  status 0 sea -C "$1-keeper" export --to=$at --verify
  says out 'read back from the medium: ok'
  mkdir "$1-kit"
  printf 'sea-helper 1\nget birds-keeper-0001-full.sea.tar.zst 0 99999999\nbye\n' | sea-remote-s3 $at >answers
  size=$(sed -n '2s/^ok //p' answers)
  tail -c +$((14 + ${#size} + 4)) answers | head -c "$size" >"$1-kit/birds-keeper-0001-full.sea.tar.zst"
  sea clone -q --name=lab "$1-kit" "$1-lab"
  sea -C "$1-lab" set -q a notes='two adults'
  status 0 sea -C "$1-lab" export --to=$at
  status 0 sea -C "$1-keeper" import $at
  [ "$(sea -C "$1-keeper" get a notes)" = 'two adults' ]
  status $NO sea -C "$1-keeper" export --exit-code --to=$at
}
each story
EOT

t 'bundles that no rule keeps are removed, needed ones stay' <<'EOT'
. ./both
retention() {
  for n in 2 3; do
    sea -C "$1-keeper" set -q a n:=$n
    sea -C "$1-keeper" export -q --to=$at
  done
  before=$(names)
  # Increments build on the first one.
  status 0 sea -C "$1-keeper" export --to=$at --keep-last=1
  [ "$(names)" = "$before" ]
  for n in 4 5; do
    sea -C "$1-keeper" set -q a n:=$n
    sea -C "$1-keeper" export -q --to=$at --full --split=128K
  done
  all=$(names)
  status 0 sea -C "$1-keeper" export -n --to=$at --keep-last=1
  says out 'would remove birds-keeper-0001-'
  [ "$(names)" = "$all" ]
  last=$(echo "$all" | tr ' ' '\n' | grep . | tail -1)
  status 0 sea -C "$1-keeper" export --to=$at --keep-last=1
  says out 'removed birds-keeper-0001-'
  [ "$(names)" = "$last " ]
  # What is left is all of it.
  status 0 sea -C "$1-lab" import $at
  [ "$(sea -C "$1-lab" get a n)" = 5 ]
  # The bundles of others are not touched.
  printf 'sea-helper 1\nlist .\nbye\n' | sea-remote-s3 $at | grep -q birds-lab-
}
each retention
EOT
