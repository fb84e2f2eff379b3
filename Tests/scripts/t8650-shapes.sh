# limit: 300
# sealed: no
# What a peer can write in many shapes takes each command a time for each item, and no more for each other one.
# Two shapes always, four others by the day; all of them in more sizes are in Benchmarks/shapes.sh.
shapes="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Benchmarks/shapes.py --sea $(command -v sea)"
export shapes
t 'a record with 20,000 properties' <<'EOT'
WORK=$PWD $shapes --sizes=5000,10000,20000 properties >out || { cat out; exit 1; }
EOT

# A slot costs its rounds to try. All together may have 50 million: 1,000 of these.
t 'slots that are nothing, and slots of other passwords' <<'EOT'
WORK=$PWD $shapes --sizes=100,200,400 sealed-junk >out || { cat out; exit 1; }
EOT

t 'shapes of the day' <<'EOT'
yes "$SEA_TEST_SEED" | head -c 100000 >seed
chosen=$($shapes --list | grep -vx -e properties -e sealed-junk | shuf -n "$((4 * SEA_TEST_MORE))" --random-source=seed)
WORK=$PWD $shapes --sizes=250,500,1000 $chosen >out || { cat out; exit 1; }
EOT
