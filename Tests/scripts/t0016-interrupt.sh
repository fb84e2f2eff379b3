# Ctrl-C, once and twice.
cat >interrupt.py <<'EOT'
"""interrupt.py UNTIL TIMES -- COMMAND...: sends SIGINT when the shell command UNTIL succeeds, TIMES times; there are records without end on standard input.

Prints how it ended: the signal, or the status.
"""
import os, signal, subprocess, sys, threading, time
until, times = sys.argv[1], int(sys.argv[2])
process = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stderr=open("err", "wb"), stdout=open("out", "wb"))

def feed():
    try:
        for k in range(10**9):
            process.stdin.write(b'{"_id":"l/%d","text":"%s"}\n' % (k, b"x" * 20000))
            time.sleep(float(os.environ.get("PAUSE", 0)))
    except OSError:
        pass


threading.Thread(target=feed, daemon=True).start()
end = time.monotonic() + 300
while subprocess.run(["sh", "-c", until], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
    if process.poll() is not None or time.monotonic() > end:
        process.kill()
        sys.exit(f"ended before: {process.poll()}")
    time.sleep(0.02)
for k in range(times):
    process.send_signal(signal.SIGINT)
    # A signal that comes while the first is not taken yet is the same one.
    deadline = time.monotonic() + 300
    while k + 1 < times and b"again" not in open("err", "rb").read() and time.monotonic() < deadline:
        time.sleep(0.01)
print(process.wait(timeout=60))
EOT

export SEA_PROGRESS_DELAY=0

t 'a container to sync with, slowly' <<'EOT'
sea init -q --name=field a
for k in $(seq 60); do printf '{"_id":"r/%d","n":%d}\n' $k $k; done >records
sea -C a put -q --chunk=1 "$PWD/records"
sea -C a add-container -q --create stick "$PWD/stick.sea"
EOT

t 'sync stops between two blocks, says so, and goes on' <<'EOT'
[ "$(/usr/bin/python3 interrupt.py 'grep sending err' 1 -- sea -C a sync --progress --limit-rate=1K)" = -2 ]
grep -x 'interrupted; press Ctrl-C again to stop immediately' err
grep -q '^stick: pulled 0, pushed [1-9][0-9]*, left [1-9][0-9]* blocks to push (interrupted)$' out
sea verify stick.sea >verified
[ -z "$(find stick.sea a/.sea -name '*tmp*')" ]
status 0 sea -C a sync --lock-wait=0
sea verify stick.sea >verified
says verified '61 blocks ok'
EOT

t 'pressed again it ends at once' <<'EOT'
for k in $(seq 60); do printf '{"_id":"s/%d","n":%d}\n' $k $k; done >records
sea -C a put -q --chunk=1 "$PWD/records"
[ "$(/usr/bin/python3 interrupt.py 'grep sending err' 2 -- sea -C a sync --progress --limit-rate=1K)" = -2 ]
[ ! -s out ]
status 0 sea -C a sync --lock-wait=0
sea verify stick.sea >verified
says verified '121 blocks ok'
EOT

t 'with --json: events' <<'EOT'
for k in $(seq 60); do printf '{"_id":"t/%d","n":%d}\n' $k $k; done >records
sea -C a put -q --chunk=1 "$PWD/records"
[ "$(/usr/bin/python3 interrupt.py 'grep handing err' 1 -- sea -C a sync --json --progress --limit-rate=1K)" = -2 ]
jq -e -s 'any(.message == "interrupted; press Ctrl-C again to stop immediately")' err
jq -e -s '.[0].limit == "interrupt" and .[-1].exit == 130 and .[-1].ok == false' out
EOT

t 'load keeps the chunks that are whole' <<'EOT'
sea init -q b
[ "$(/usr/bin/python3 interrupt.py '[ "$(sea -C b query --count)" -ge 10 ]' 1 -- sea -C b load --format=jsonl --chunk=10 -)" = -2 ]
head -1 err | grep -x 'interrupted; press Ctrl-C again to stop immediately'
says err 'error[interrupted]: interrupted; completed work was kept'
grep -q '^standard input: [1-9][0-9]*0 created' out
[ "$(($(sea -C b query --count) % 10))" -eq 0 ]
says err 'hint: if you run it again, records without _id or --key are created twice'
head -3 records >more
sea -C b load -q --format=jsonl --lock-wait=0 "$PWD/more"
EOT

t 'load without chunks is one transaction: nothing stays, and that is said' <<'EOT'
sea init -q c
# Fewer records than a transaction may have.
[ "$(PAUSE=0.01 /usr/bin/python3 interrupt.py 'sleep 1' 1 -- sea -C c load --format=jsonl -)" = -2 ]
says err 'error[interrupted]: interrupted; nothing was written'
lacks err 'hint'
[ "$(sea -C c query --count)" -eq 0 ]
EOT

t 'a command that changes many records changes all or none' <<'EOT'
sea init -q d
seq 3000 | sed 's/.*/{"_id":"r&","_type":"r","n":&}/' | sea -C d put -q -
slow='(SELECT count(*) FROM r other WHERE other.n > r.n) >= 0'
for command in "set --where '$slow' m=1" "delete --where '$slow'"; do
  [ "$(/usr/bin/python3 interrupt.py 'sleep 0.3' 1 -- sh -c "exec sea -C d $command -t r")" = -2 ]
  says err 'error[interrupted]: interrupted; nothing was written'
done
[ "$(sea -C d query --count m=1)" -eq 0 ]
[ "$(sea -C d query --count)" -eq 3000 ]
for form in jsonl sqlite; do
  [ "$(/usr/bin/python3 interrupt.py 'sleep 0.3' 1 -- sea -C d dump --format=$form -t r --where "$slow" -o "$PWD/file")" = -2 ]
  says err 'nothing was written'
done
[ -z "$(find . -maxdepth 1 -name 'file*' -o -maxdepth 1 -name '.sea-tmp*')" ]
EOT

t 'a clone that is stopped before it knows what it has made has made nothing' <<'EOT'
sea init -q e
seq 20000 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C e put -q --chunk=100 -
sea -C e add-container -q --create hub "$PWD/hub.sea"
sea -C e push -q
[ "$(/usr/bin/python3 interrupt.py '[ -e f/.sea ] || ls -d f/.sea-tmp*' 1 -- sea clone --limit-rate=20K hub.sea f)" = -2 ]
says err 'interrupted; press Ctrl-C again to stop immediately'
lacks err 'first block is missing'
rm -rf f
status 0 sea clone -q hub.sea f
[ "$(sea -C f query --count)" -eq 20000 ]
EOT

t 'waiting for a pipe can be interrupted' <<'EOT'
sea init -q pipes
mkfifo fifo
sea -C pipes put -q '{"_id":"a"}'
for command in "set a f:asset@$PWD/fifo" "load -t t --format=csv $PWD/fifo"; do
  for signal in TERM HUP INT; do
    code=0
    timeout -s $signal -k 5 1 sea -C pipes $command 2>err || code=$?
    [ $code -eq 124 ]
    says err "error[interrupted]: interrupted while waiting for '$PWD/fifo'"
  done
done
# Somebody is there, and says nothing.
for command in "set a f:asset@$PWD/fifo" "load -t t --format=csv $PWD/fifo" "put $PWD/fifo"; do
  for signal in TERM INT; do
    sleep 5 3>fifo >fifo &
    writer=$!
    code=0
    timeout -s $signal -k 1 1.5 sea -C pipes $command 2>err || code=$?
    kill $writer
    [ $code -eq 124 ]
    case $command in put*) ;; *) says err "error[interrupted]: interrupted while waiting for '$PWD/fifo'" ;; esac
  done
done
[ "$(sea -C pipes query --ids)" = a ]
(sleep 0.2; echo hello >fifo) &
status 0 sea -C pipes set a "f:asset@$PWD/fifo"
[ "$(sea -C pipes --json get a | jq .f.size)" -eq 6 ]
for command in 'add-container x' 'add-container --create x'; do
  status $SYSTEM sea -C pipes $command "$PWD/fifo"
  says err "fifo' is a named pipe (FIFO), not a folder"
done
EOT

t 'waiting for another writer can be interrupted at once' <<'EOT'
sea init -q --name=waits w
sea -C w add-container -q --create stick "$PWD/waits.sea"
sea -C w set -q --create -t t here n:=1
exec 9>w/.sea/lock
flock 9
for words in 'put {"_id":"x"}' 'set -q here n:=2' 'gc'; do
  ended=$(/usr/bin/python3 interrupt.py 'sleep 1' 1 -- sea -C w --lock-wait=60 $words)
  [ "$ended" = -2 ]
done
exec 9>&-
[ "$(sea -C w get here | jq .n)" = 1 ]
EOT

t 'verify stops within a bundle that comes slowly' <<'EOT'
sea init -q g
head -c 20000000 /dev/urandom >noise
sea -C g put -q '{"_id":"x"}'
sea -C g set -q x "f:asset@$PWD/noise"
sea -C g export -q -o "$PWD/g.sea.tar"
mkfifo slow
/usr/bin/python3 - <<'END' &
import os, time
try:
    with open("g.sea.tar", "rb") as bundle, open("slow", "wb", buffering=0) as pipe:
        while part := bundle.read(100_000):
            pipe.write(part)
            time.sleep(0.1)
except BrokenPipeError:
    open("cut", "x")
END
writer=$!
[ "$(/usr/bin/python3 interrupt.py 'grep verifying err' 1 -- sh -c 'exec sea verify --progress - <slow')" = -2 ]
says err 'error[interrupted]'
[ ! -s out ]
wait $writer
[ -e cut ]
status 0 sea verify g.sea.tar
EOT
