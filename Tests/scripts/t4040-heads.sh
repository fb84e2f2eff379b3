# sealed: yes
t 'heads of the database and of a container' <<'EOT'
sea init -q --name=one one
sea -C one add-container -q --create team "$PWD/team"
sea -C one push -q
status 0 sea -C one heads
cp out heads
sea heads --container=team | same heads
sea -C one heads --container=team | same heads
grep -Eq '^[0-9a-f-]{36}	0	[0-9a-f]{64}$' heads
[ "$(cut -f3 heads)" = "$(head -c 84 team/transactions/*/1/0 | sha256sum | cut -d' ' -f1)" ]
EOT

t '--have prints what the other side lacks' <<'EOT'
status 0 sea -C one heads --have="$PWD/heads"
[ ! -s out ]
sea -C one set -q --create a n:=1
status 0 sea -C one heads --have="$PWD/heads"
[ "$(cut -f2,4 out)" = "1	1" ]
: | sea -C one heads --have=- >out
[ "$(cut -f2,4 out)" = "1	0" ]
sea -C one heads | sea heads --container=team --have=- >out
[ ! -s out ]
EOT

t 'another block at the same place is a fork' <<'EOT'
sea -C one heads | sed 's/0$/1/; t; s/.$/0/' >other
status $CORRUPT sea -C one heads --have="$PWD/other"
says err 'warning[fork]'
EOT

t 'lines that are no heads' <<'EOT'
echo 'nonsense' >bad
status $BAD_DATA sea -C one heads --have="$PWD/bad"
says err 'bad:1: expected'
status $UNREACHABLE sea heads --container=nowhere
status $INCOMPATIBLE sea heads --container=one
EOT

t 'as JSON' <<'EOT'
status 0 sea -C one heads --json
python3 -c 'import json; head = json.loads(open("out").read()); assert head["index"] == 1 and len(head["hash"]) == 64'
EOT
