mkdir -p tools
ln -s "$SEA_TEST_ROOT/Tests/faults/terminal.py" tools/terminal
PATH=$PWD/tools:$PATH
export PATH

t 'a database and a container to work with' <<'EOT'
sea init -q --name=field birds
for k in $(seq 300); do printf '{"_id":"bird/%d","_type":"bird","name":"bird %d"}\n' $k $k; done >birds/birds.json
sea -C birds put -q --chunk=1 birds.json
sea -C birds add-container -q --create stick "$PWD/stick.sea"
EOT

t 'at a terminal, one line that changes and is gone at the end' <<'EOT'
SEA_PROGRESS_DELAY=0 terminal -- sea -C birds push >shown
says shown 'sending to stick: 0 of 301  0%'
says shown 'stick: pushed 301'
# Wiped before the result is printed at the same terminal.
tr '\033\r' '@<' <shown >readable
grep -q '<sending to stick: .*%.*@\[K<@\[Kstick: pushed 301' readable
EOT

t 'short work shows no progress' <<'EOT'
terminal -- sea verify stick.sea >shown
sea verify stick.sea >wanted
says wanted ' 301 blocks ok'
diff -u wanted shown
EOT

t 'nothing in a pipe, with -q, --no-progress or --json, or at a terminal that cannot redraw' <<'EOT'
export SEA_PROGRESS_DELAY=0
sea -C birds verify >out 2>err
[ ! -s err ]
for option in --no-progress -q --json; do
  terminal -- sea -C birds verify $option >shown
  fails grep -q 'verifying' shown
done
TERM=dumb terminal -- sea -C birds verify >shown
fails grep -q 'verifying' shown
terminal -- sea -C birds verify >shown
grep -q 'verifying' shown
EOT

t '--progress: lines in a pipe' <<'EOT'
SEA_PROGRESS_DELAY=0 sea -C birds verify --progress >out 2>err
same out <<'EOX'
chain field 301 blocks ok
local index ok
EOX
head -1 err >first
same first <<'EOX'
verifying: 0 of 301  0%
EOX
fails grep -q "$(printf '\033')" err
EOT

t '--progress with --json: events on standard error' <<'EOT'
SEA_PROGRESS_DELAY=0 sea verify --progress --json stick.sea >out 2>err
head -1 err >first
same first <<'EOX'
{"event":"progress","kind":"verifying","what":"stick.sea","done":0,"total":301,"unit":"items"}
EOX
jq -e 'select(.event == "progress") | .done <= .total' err >/dev/null
fails grep -q progress out
EOT

t 'each of the long commands tells' <<'EOT'
export SEA_PROGRESS_DELAY=0
sea clone --progress stick.sea lab >out 2>err
says err 'reading origin: 0 of 301'
sea mirror --progress stick.sea copy.sea >out 2>err
says err 'copy.sea: 0 of 301'
sea init -q other
sea -C other put -q --progress "$PWD/birds/birds.json" 2>err
grep -q 'birds.json: .* KiB  100%' err
sea -C other add-container -q --create stick "$PWD/other.sea"
sea -C other sync --progress >out 2>err
says err 'sending to stick: 2 of 2'
EOT

t 'a signal leaves a clean line, and is what ends the program' <<'EOT'
cat >slow.py <<'EOP'
import os, pty, select, signal, sys, time
# The reader of the records is kept waiting by a pipe that is open and empty.
os.mkfifo("pipe")
process, terminal = pty.fork()
if process == 0:
    os.environ["SEA_PROGRESS_DELAY"] = "0"
    os.execvp("sea", ["sea", "put", "-C", "birds", "-q", "--progress", "birds.json", "../pipe"])
keep = os.open("pipe", os.O_RDWR)
screen = b""
limit = time.monotonic() + 300
def more():
    global screen
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            screen += os.read(terminal, 65536)
        except OSError:
            pass
# The first file was read, and the line says so while nothing comes out of the pipe.
while b"100%" not in screen and time.monotonic() < limit:
    more()
assert not screen.endswith(b"\r\x1b[K")
os.kill(process, int(sys.argv[1]))
end = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
more()
sys.stdout.buffer.write(screen)
assert screen.endswith(b"\r\x1b[K"), screen
assert end == -int(sys.argv[1]), end
EOP
for signal in 2 15; do
  rm -f pipe
  python3 slow.py $signal >shown || { cat shown; exit 1; }
done
EOT
