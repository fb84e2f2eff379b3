# limit: 180
# What the tests make is gone when they are, however they end: Tests/run.py is ended in the middle of a test that has
# made a folder nobody may write to and left a process in a session of its own.
sea=$(command -v sea)
mkdir place
cat >slow.sh <<'EOX'
# limit: 30
mkdir locked "$TMPDIR/more"
echo x >locked/x
chmod 500 locked
setsid sleep 1000 &
[ -z "$FILL" ] || head -c "$FILL" /dev/zero >large
touch "$READY"
sleep 1000
EOX
echo "t 'nothing' <<'EOX'
EOX" >quick.sh
export sea

cat >lib <<'EOX'
begin() { # FILL COMMAND...: what a shell starts behind itself ignores INT, and so does what that starts
  rm -f ready
  fill=$1
  shift
  TMPDIR=$PWD/place READY=$PWD/ready FILL=$fill SEA=$sea SEAL=0 env --default-signal=INT,TERM,HUP "$@" >said 2>&1 &
  run=$!
}
ready() {
  for n in $(seq 600); do
    [ ! -e ready ] || return 0
    sleep 0.1
  done
  cat said
  return 1
}
nothing_left() {
  ls -A place
  [ -z "$(ls -A place)" ]
  for one in /proc/[0-9]*/environ; do
    if tr '\0' '\n' 2>/dev/null <"$one" | grep "^SCRATCH_OF=$PWD/place/"; then return 1; fi
  done
}
EOX

for signal in INT:130 TERM:143 HUP:129; do
  export signal
  t "${signal%:*} in the middle: nothing lies in TMPDIR, and nothing runs" <<'EOT'
. ./lib
begin '' "$SEA_TEST_ROOT/Tests/run.py" "$PWD/slow.sh"
ready
[ -n "$(ls -A place)" ]
kill -${signal%:*} $run
status ${signal#*:} wait $run
nothing_left
EOT
done

t 'the next run removes what a killed run left' <<'EOT'
. ./lib
begin '' "$SEA_TEST_ROOT/Tests/run.py" "$PWD/slow.sh"
ready
kill -KILL $run
status 137 wait $run
[ -n "$(ls -A place)" ]
begin '' "$SEA_TEST_ROOT/Tests/run.py" "$PWD/quick.sh"
status 0 wait $run
nothing_left
EOT

t 'a program in a scratch folder, as benchmarks are: the same' <<'EOT'
. ./lib
begin '' python3 "$SEA_TEST_ROOT/Tests/pool.py" --free 0 WORK sh -c 'cd "$WORK" && . "$0"' "$PWD/slow.sh"
ready
kill -TERM $run
status 143 wait $run
nothing_left
EOT

t 'more of the disk than a run may take ends it' <<'EOT'
. ./lib
SEA_TEST_ROOM=0.01 begin 30000000 "$SEA_TEST_ROOT/Tests/run.py" "$PWD/slow.sh"
status $NO wait $run
says said '0.01 are the most'
says said 'in slow'
nothing_left
EOT
