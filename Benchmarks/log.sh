#!/bin/bash
# History of 100,000 transactions, beside git's with a commit-graph.
. "$(dirname "$0")/common.sh"
if [ ! -d history ]; then
  sea init -q --name=history --content-type=org.example.bench history
  sea -C history put -q --chunk=1 - <"$(records 100000 1)"
fi
if [ ! -d commits ]; then
  git init -q commits
  seq 100000 | awk '{
    printf "commit refs/heads/main\ncommitter a <a@b> %d +0000\ndata 3\nput\n", 1700000000 + $1
    printf "M 644 inline r%d\ndata %d\n%s\n", $1 % 50, length($1), $1 }' | git -C commits fast-import --quiet
  git -C commits commit-graph write --reachable 2>/dev/null
fi
if [ ! -d short ]; then
  sea init -q --name=short --content-type=org.example.bench short
  sea -C short put -q --chunk=1 - <"$(records 1000 1)"
fi
id=$(sea -C history log -1 --format='%(block)')
id=$(sea -C history show --json "$id" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')

ratio -n 9 --aim 0.8 'log of 100,000 : git log --oneline' 'sea -C history log' 'git -C commits log --oneline main'
ratio -n 51 --aim 1.0 'log -10 : git log --oneline -10' 'sea -C history log -10' 'git -C commits log --oneline -10 main'
ratio -n 51 --aim 1.0 'get --at : git show' "sea -C history get --at=@{0} $id" 'git -C commits show main:r1'
ratio -n 51 --aim 1.0 'diff of one operation : git diff' "sea -C history diff @{0}" 'git -C commits diff main~1 main'

# However long the history is.
first=$(sea -C short query --ids --limit=1)
last() { sea -C "$1" ops --json --limit=10 | sed -n 's/^{"op":"\([^"]*\)".*/\1/p' | tail -1; }
ratio -n 51 --aim 1.2 'log -10 of 100,000 : of 1,000' 'sea -C history log -10' 'sea -C short log -10'
ratio -n 51 --aim 1.2 'get --at, 100,000 : 1,000' "sea -C history get --at=@{0} $id" "sea -C short get --at=@{0} $first"
ratio -n 51 --aim 1.2 'diff of the tenth operation, 100,000 : 1,000' "sea -C history diff $(last history)" "sea -C short diff $(last short)"
ratio -n 51 --aim 1.2 'show of the tenth operation, 100,000 : 1,000' "sea -C history show $(last history)" "sea -C short show $(last short)"
