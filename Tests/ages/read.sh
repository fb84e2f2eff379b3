#!/bin/sh
# Reads an age with a program, and prints what the program sees in it. It writes only into copies of the age.
#
#   usage: Tests/ages/read.sh SEA FOLDER     FOLDER is the unpacked age
#
# Each section begins with `== KIND: NAME`. A later program must print the same text. Therefore the text has no messages, and
# no names and times that are new in each run.
set -u
SEA=$(realpath "$1")
age=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
umask 022
mkdir "$work/home" "$work/bin" "$work/age"
for name in $(env | sed -n 's/^\(SEA_[A-Z_0-9]*\)=.*/\1/p'); do unset "$name"; done
export HOME="$work/home" XDG_STATE_HOME="$work/state" SEA_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 TZ=UTC
unset XDG_CONFIG_HOME
ln -s "$SEA" "$work/bin/sea"
export PATH="$work/bin:$PATH"
for secret in password password2 recovery; do install -m 600 "$age/$secret" "$work/$secret"; done
echo 'a wrong passphrase' >"$work/wrong"
chmod 600 "$work/wrong"
export SEA_PASSWORD_FILE="$work/password"

# run OPTIONS COMMAND...: what `sea` prints, and its status if it is not 0. The options are those before the command, as one word.
run() {
  options=$1 status=0
  shift
  # shellcheck disable=SC2086
  sea $options "$@" 2>"$here/err" || status=$?
  [ $status = 0 ] || echo "status $status: $1"
}

# quiet WHAT ARGUMENT...: only what is tried, and the status of `sea` with these arguments.
quiet() {
  what=$1 status=0
  shift
  sea "$@" >"$here/log" 2>"$here/err" || status=$?
  echo "$what: status $status"
}

digest() { sha256sum | cut -c1-64; }

# lines: the sorted lines; long ones, and the records of the type `many`, as digests.
lines() {
  sort >"$here/all"
  grep -v '"_type":"many"' "$here/all" | while IFS= read -r line; do
    [ ${#line} -le 3000 ] || line="$(printf '%.60s' "$line")... $(printf '%s' "$line" | digest)"
    printf '%s\n' "$line"
  done
  ! grep '"_type":"many"' "$here/all" >"$here/many" || echo "type many: $(wc -l <"$here/many") records, $(digest <"$here/many")"
}

# records DATABASE: the records and their history.
records() {
  run "-C $1" dump --deleted | lines
  run "-C $1" dump --history | sort >"$here/history"
  grep '^status' "$here/history"
  echo "history: $(wc -l <"$here/history") lines, $(digest <"$here/history")"
}

# state DATABASE OWN: what the database says of itself. Lines of the instance OWN, which is new in each run, are left out.
state() {
  run "-C $1" instances --json | grep -v "\"instance\":\"$2" |
    jq -r '[.instance, .name, if .self then "self" else .state end, .role // "-", .held, .follows // "-"] | join(" ")' |
    sort | sed 's/^/instance: /'
  run "-C $1" status --porcelain | grep -E '^# (conflicts|quarantined|forks|asking)' | sed 's/^# /status: /'
}

# The main branch of a fork can differ between databases, so outputs leave out the name of the branch.
main='sed s/~[0-9a-f]*//g'

# all DATABASE OWN: everything that a database shares with its clones.
all() {
  records "$1"
  for record in file/small file/large; do
    run "-C $1" get --raw $record content >"$here/content"
    if grep -q '^status' "$here/content"; then cat "$here/content"; else echo "asset of $record: $(digest <"$here/content")"; fi
    [ $world = plain ] || break
  done
  run "-C $1" conflicts --porcelain | grep -v '^#' | sort | sed 's/^/conflict: /'
  run "-C $1" config list --shared | sort | sed 's/^/shared: /'
  run "-C $1" log --json | grep -v "\"instance\":\"$2" | jq -r .instance | sort | uniq -c | sed 's/^ */log: /'
  run "-C $1" heads | grep -v "^$2" | $main | sort | sed 's/^/head: /'
  run "-C $1" purge --status --json >"$here/purge"
  jq -r 'select(.event == "store") | "purge: \(.state), \(.purged) purged"' "$here/purge" 2>"$here/err"
  run "-C $1" verify --porcelain | grep -v "	$2" | $main | sort | sed 's/^/verify: /'
  state "$1" "$2"
}

# compare REFERENCE: the text itself, or how it differs from that of the reference if this is shorter.
compare() {
  cat >"$here/text"
  diff "$1" "$here/text" | grep '^[<>]' >"$here/diff"
  if [ ! -s "$here/diff" ]; then
    echo 'the same as in the database of ann'
  elif [ "$(wc -l <"$here/diff")" -lt "$(wc -l <"$here/text")" ]; then
    cat "$here/diff"
  else
    cat "$here/text"
  fi
}

id() { sea -C "$1" rev-parse --instance-id 2>"$here/err"; }

databases() {
  echo "== database: $world/ann"
  all ann none >"$here/self"
  cat "$here/self"
  run '-C ann' ops --format='%(op) %(state) %(label)' >"$here/ops"
  echo "operations: $(wc -l <"$here/ops"), $(digest <"$here/ops")"
  [ "$(wc -l <"$here/ops")" -lt 6 ] || echo "records four operations ago: $(run '-C ann' query --count --at='@{4}')"
  if [ $world = plain ]; then
    run '-C ann' reindex --list
    echo "found by words: $(run '-C ann' query -t site --ids "_words MATCH 'lake'")"
    echo "found by values: $(run '-C ann' query -t many --ids 'n = 17')"
  fi
  # A clone shows this instance as authorized.
  sed 's/ self / authorized /' "$here/self" >"$here/ann"
  sed '/^history/q' "$here/self" >"$here/records"
  for database in *; do
    [ -d "$database/.sea" ] && [ $database != ann ] || continue
    echo "== database: $world/$database"
    records $database | compare "$here/records"
    case $world in members | forked | house) state $database none ;; esac
  done
}

containers() {
  echo "== container: $world"
  quiet verify -C ann verify --assets --keys "$PWD/container"
  quiet clone clone --assets=all --name=new "$PWD/container" "$here/clone"
  all "$here/clone" "$(sea -C "$here/clone" rev-parse --instance-id 2>"$here/err")" | compare "$here/ann"
  [ -d container/keys ] || return 0
  echo "== password: $world"
  if [ $world = encrypted ]; then
    quiet 'clone with a wrong passphrase' clone --password-file="$work/wrong" --name=new "$PWD/container" "$here/wrong"
    quiet 'clone with the other passphrase' clone --password-file="$work/password2" --name=new "$PWD/container" "$here/second"
    records "$here/second" | compare "$here/records"
    return
  fi
  quiet 'clone with the recovery key' clone --recovery="$work/recovery" --name=new "$PWD/container" "$here/recovered"
  records "$here/recovered" | compare "$here/records"
  quiet 'authorize with the recovery key' -C "$here/recovered" authorize --admin --recovery="$work/recovery" \
    "$(sea -C "$here/recovered" rev-parse --instance-id 2>"$here/err")"
}

bundles() {
  sea clone -q --name=new base.tar.zst "$here/base" 2>"$here/err"
  for bundle in full.* increment.* split.tar.001 exchange; do
    [ -e "$bundle" ] || continue
    echo "== bundle: $world/$bundle"
    quiet verify -C ann verify --assets --keys "$PWD/$bundle"
    case $world/$bundle in
      */full.tar.zst | */exchange)
        quiet clone clone --name=new "$bundle" "$here/$bundle"
        records "$here/$bundle" | compare "$here/records"
        ;;
    esac
    case $world/$bundle in
      plain/full.* | */increment.* | */split.tar.001 | */exchange)
        cp -a "$here/base" "$here/import.$bundle"
        quiet import -C "$here/import.$bundle" import "$PWD/$bundle"
        records "$here/import.$bundle" | compare "$here/records"
        ;;
    esac
  done
  echo "== backup: $world"
  quiet restore restore --name=new backup.tar.zst "$here/restored"
  records "$here/restored" | compare "$here/records"
  [ $world != plain ] || run "-C $here/restored" config get core.abbrev
  find "$here/restored/.sea" -path '*/hooks/*' -exec basename {} \;
}

# An instance can get a new id when it writes, and then its counters, which have the id, give other revisions.
plain='sed -E s/"_rev":"[^"]*",?|,"_conflicts":[^]]*]//g'

changes() {
  echo "== change: $world"
  run '-C ann' dump --deleted | $plain | lines >"$here/before"
  sea -C ann config set container.share.location "$PWD/container"
  sea -C bob config set container.origin.location "$PWD/container"
  echo '{"_id":"later/ann","_type":"later","n":1}' | quiet 'put by ann' -C ann put -
  quiet 'set by ann' -C ann set clash/open text='by a later program' count+=1 tags+=later
  quiet 'sync by ann' -C ann sync share
  quiet 'set by bob' -C bob set --create later/bob n:=1
  quiet 'sync by bob' -C bob sync origin
  quiet 'sync by ann' -C ann sync share
  quiet clone clone --name=new "$PWD/container" "$here/later"
  for database in ann bob "$here/later"; do
    echo "records in the database of $(basename $database):"
    run "-C $database" dump | grep -E '"_id":"(later/...|clash/open)"' | $plain
  done
  run "-C $here/later" dump --deleted | $plain | lines | compare "$here/before"
  quiet verify -C ann verify --keys share
  [ $world = plain ] || return 0
  quiet export -C ann export --to="$PWD/exchange"
  find exchange -name '*.zst' | sort
  quiet 'export since the heads' -C ann export --since="$PWD/heads" -o "$PWD/since"
  quiet import -C "$here/import.full.none" import "$PWD/since"
  run "-C $here/import.full.none" dump --deleted | $plain | lines | compare "$here/before"
}

dumps() {
  for dump in dumps/*; do
    echo "== dump: $world/$(basename "$dump")"
    sea init -q "$here/load"
    case $dump in
      *history*) quiet load -C "$here/load" load --history "$PWD/$dump" ;;
      *datastore) quiet load -C "$here/load" load --format=datastore "$PWD/$dump" ;;
      *) quiet load -C "$here/load" load -t value "$PWD/$dump" ;;
    esac
    run "-C $here/load" dump | $plain | lines >"$here/loaded"
    echo "$(wc -l <"$here/loaded") lines, $(digest <"$here/loaded")"
    rm -rf "$here/load"
  done
}

read_world() {
  world=$1 here=$work/$1
  mkdir "$here"
  cp -a "$age/$world" "$here/age"
  cd "$here/age"
  databases
  containers
  bundles
  changes
  [ ! -d dumps ] || dumps
}

worlds='plain encrypted members purged forked packed house'
for world in $worlds; do
  read_world $world >"$work/$world.text" 2>&1 &
done
wait
for world in $worlds; do cat "$work/$world.text"; done
