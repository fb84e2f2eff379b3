# limit: 300
# sealed: no
# What a peer can write in many shapes takes each command its work for each item, and no more for each other one. Instructions
# are counted, so that the outcome is the same on any machine. `make torture` measures the time of other shapes, and
# Benchmarks/shapes.sh of all.
shapes="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Benchmarks/shapes.py --sea $(command -v sea)"
export shapes

# grows SIZES SHAPE...: four times as much takes less than eight times the work; the square would be sixteen.
grows() {
  sizes=$1
  shift
  for shape in "$@"; do
    t "$shape: the work grows with the size, and no faster" <<EOT
WORK=$PWD $shapes --instructions --growth=1.5 --sizes=$sizes $shape >out || { cat out; exit 1; }
EOT
  done
}

grows 10,40,160 clashing leaves one-leaf-below waiting resolved ladder late-forks chains purged members line assets
# A slot costs its rounds to try, so that few are enough.
grows 1,4,16 sealed-junk

if [ "$SEA_TEST_MORE" -gt 1 ]; then
t 'other shapes, by time' <<'EOT'
yes "$SEA_TEST_SEED" | head -c 100000 >seed
chosen=$($shapes --list | grep -vx sealed-junk | shuf -n "$((4 * SEA_TEST_MORE))" --random-source=seed)
WORK=$PWD $shapes --sizes=250,500,1000 $chosen >out || { cat out; exit 1; }
EOT
fi
