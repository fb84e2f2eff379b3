#!/bin/bash
# Three instances and one plain folder: load, sync, disagree, agree, verify. Each command is printed before it runs;
# all of them can be typed.
set -euo pipefail
command -v sea >/dev/null || { echo "demo: sea is not on PATH; use: make demo" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sea-demo.XXXXXX")
cd "$work"
ln -s "$here/records.py" records.py
export SEA_CONFIG_NOSYSTEM=1 SEA_CONFIG_GLOBAL=/dev/null
begin=$SECONDS

chapter() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
run() { printf '$ %s\n' "$1"; eval "$1"; }
# A command that is to end with another status than 0.
run_status() { printf '$ %s\n' "$2"; local s=0; eval "$2" || s=$?; printf '[%s]\n' "$s"; [ "$s" = "$1" ] || { echo "demo: expected $1" >&2; exit 1; }; }
[ -t 1 ] || chapter() { printf '\n# %s\n' "$*"; }

echo "Everything happens in $work"

chapter "A database, and 13,000 records of Debian's iso-codes"
run 'sea init --name=one --content-type=org.debian.iso-codes one'
run 'python3 records.py >records.ndjson'
run 'wc -l records.ndjson'
run 'sea -C one put - <records.ndjson | cut -f1 | sort | uniq -c'
run 'sea -C one query --types'
run 'sea -C one get subdivision/CH-ZH'
run 'sea -C one query --refs-to=country/CH --select=_id,name,type --limit=5'

chapter "A plain folder is all that instances need to meet: a stick, a share, a cloud drive"
run "sea -C one add-container --create folder $work/folder"
run 'sea -C one sync'
run 'find folder -type f'
run 'sea clone --name=two folder two'
run 'sea clone --name=three folder three'
run 'sea -C three query --count'

chapter "Two people edit the same records and do not know of each other"
run "sea -C two set country/CH capital=Bern official_name='Swiss Confederation'"
run "sea -C three set country/CH capital='none; federal city: Bern'"
run "sea -C two set country/TR name='Türkiye' common_name='Türkiye'"
run "sea -C three set country/TR name='Republic of Türkiye'"
run 'sea -C two delete country/AQ'
run "sea -C three set country/AQ note='No permanent population'"
run 'sea -C two sync'
run 'sea -C three sync'
run 'sea -C one sync'

chapter "Nothing is lost and nothing waits: every instance has the same winner, and shows what lost"
run 'sea -C one conflicts'
run_status 3 'sea -C one conflicts --exit-code --count'
run 'sea -C one conflicts country/CH'
run 'sea -C one log --graph country/CH'

chapter "Somebody decides"
run "sea -C one resolve --winner --set=capital='Bern (federal city)' country/CH"
run 'sea -C one resolve --take="$(sea -C one rev-parse country/TR@winner)" country/TR'
run 'sea -C one resolve --winner country/AQ'
run 'sea -C one conflicts --count'

chapter "Some records go"
run 'sea -C one query -t language --ids --limit=100 | sea -C one delete --stdin | wc -l'
run 'sea -C one sync'
run 'sea -C two sync'
run 'sea -C three sync'

chapter "Every chain verifies, in each instance and in the folder"
for i in one two three; do run "sea -C $i verify"; done
run 'sea verify folder'

chapter "All three hold the same records, byte for byte"
for i in one two three; do run "sea -C $i query --json >$i.ndjson"; done
run 'sha256sum one.ndjson two.ndjson three.ndjson'
run 'cmp one.ndjson two.ndjson && cmp one.ndjson three.ndjson && echo identical'
run 'diff <(sea -C one heads) <(sea -C three heads) && sea -C one heads'
run 'sea -C one query --types'

printf '\nDone in %s s. Look around in %s, and remove it when you are done.\n' "$((SECONDS - begin))" "$work"
