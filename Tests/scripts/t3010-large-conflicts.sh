# limit: 600
# Three versions of a record, each as large as a block can bring it, in blocks of 46 KB.
t 'the versions, and how much a command may take' <<'EOT'
cat >few <<'P'
import os, resource, subprocess, sys
with open("out", "wb") as out: status = subprocess.run(sys.argv[1:], stdout=out).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
sys.exit(f"status {status}, {peak} MiB: {sys.argv[1:]}" if status != int(os.environ.get("STATUS", 0)) or peak > int(os.environ.get("MOST", 300)) else 0)
P
for kind in zeros names text; do
  python3 "$SEA_TEST_ROOT/Tests/reader/large_record.py" $kind $kind.sea conflict
  sea clone -q --name=$kind $kind.sea $kind
done
EOT

t 'they are listed' <<'EOT'
for kind in zeros names text; do
  python3 few sea -C $kind conflicts
  says out 'k   note  edit/edit       2  /'
  sea -C $kind conflicts --count | grep -x 1
done
EOT

t 'large values are complete in a pipe, and resolve abbreviates them' <<'EOT'
python3 few sea -C text conflicts k
[ "$(grep -c '^  .*"xxxxxxxx' out)" = 3 ]
[ "$(wc -c <out)" -gt 100000000 ]
python3 few sea -C zeros conflicts k
[ "$(grep -c '^  .*\[0,0,0,' out)" = 3 ]
says out 'e.g. sea resolve k --merge --pick=/n=2-'
sea -C zeros resolve -n --merge k 2>log && false
says log '/n  2-'
says log '(array, 33499999 values)'
STATUS=3 python3 few sea -C text resolve -n --merge k 2>log
says log '(string, 33499999 bytes)'
EOT

t 'only the first of too many properties are compared' <<'EOT'
python3 few sea -C names conflicts k
says out '!  /0000000000  0'
says out 'and more of them differ, because the record is too large'
says out 'e.g. sea resolve k --take=2-'
[ "$(grep -c ! out)" = 65 ]
python3 few sea -C names --json conflicts k
says out '"large":true'
EOT

t 'they end with the version that is chosen' <<'EOT'
for kind in names zeros; do
  loser=$(sea -C $kind conflicts --format='%(others)')
  MOST=400 python3 few sea -C $kind resolve -q --take="$loser" k
  sea -C $kind conflicts --count | grep -x 0
done
python3 few sea -C names get k
says out '"0000000000": 2,'
EOT

t 'their history is read where it lies' <<'EOT'
python3 few sea -C zeros dump --history
python3 few sea -C zeros --json log k n
EOT

t 'only the first of many conflicts are kept in memory' <<'EOT'
python3 "$SEA_TEST_ROOT/Tests/reader/large_record.py" zeros crowd.sea conflict 9
sea clone -q --name=crowd crowd.sea crowd
python3 few sea -C crowd conflicts k
says out '4 conflicting revisions (5 more to resolve after these) since 1-'
STATUS=8 MOST=400 python3 few sea -C crowd resolve --winner k
sea -C crowd conflicts k >out
says out '4 conflicting revisions (2 more to resolve after these) since 1-'
EOT

t 'sets of many elements in several versions are shown as the winner has them, and counters as all say' <<'EOT'
sea init -q --name=sets sets
sea -C sets put -q '{"_id":"k","c":{"$counter":1},"s":{"$set":["x"]}}'
sea -C sets add-container -q --create sets "$PWD/sets.c"
sea -C sets sync -q
for k in 1 2 3; do
  sea clone -q --name=sets$k sets.c sets$k
  python3 -c 'import json, sys; k = int(sys.argv[1]); print(json.dumps({"_id": "k", "k": k, "c": {"$counter": 1 + k}, "s": {"$set": [f"{k}-{n}" for n in range(200_000)]}}))' $k \
    | sea -C sets$k put -q -
done
for k in 1 2 3; do sea -C sets$k push -q; done
sea -C sets sync -q
MOST=250 python3 few sea -C sets get k c
echo 7 | same out
k=$(sea -C sets get k k)
sea -C sets get --json k | jq -e --argjson k "$k" '.s."$set" | length == 200000 and all(startswith("\($k)-"))'
MOST=250 python3 few sea -C sets query --ids 'k > 0'
# Who counts goes on from what is shown.
MOST=400 python3 few sea -C sets set -q k c+=1
[ "$(sea -C sets get k c)" = 8 ]
EOT
