t 'values are stored, found and removed' <<'EOT'
status 0 sea config set --global merge.host/ram_gb.policy max
[ ! -s out ]
status 0 sea config get merge.host/ram_gb.policy
echo max | same out
same "$HOME/.config/sea/config" <<'EOX'
[merge "host/ram_gb"]
	policy = max
EOX
status 0 sea config unset --global merge.host/ram_gb.policy
status 1 sea config get merge.host/ram_gb.policy
[ ! -s out ] && [ ! -s err ]
EOT

t 'comments survive an edit' <<'EOT'
printf '# mine\n[core]\n  abbrev = 9 ; short\n' >"$HOME/.config/sea/config"
sea config set --global core.abbrev 10
same "$HOME/.config/sea/config" <<'EOX'
# mine
[core]
  abbrev = 10 ; short
EOX
EOT

t 'stronger layers hold' <<'EOT'
[ "$(sea config get core.abbrev)" = 10 ]
[ "$(SEA_CONFIG_COUNT=1 SEA_CONFIG_KEY_0=core.abbrev SEA_CONFIG_VALUE_0=11 sea config get core.abbrev)" = 11 ]
[ "$(X=12 sea --config-env=core.abbrev=X config get core.abbrev)" = 12 ]
[ "$(sea -c core.abbrev=13 config get core.abbrev)" = 13 ]
EOT

t 'a broken file is told with its line' <<'EOT'
printf '[core]\nabbrev 9\n' >broken
SEA_CONFIG_GLOBAL=broken status 13 sea config list
says err 'broken:2:'
EOT

t 'the editor is run, and its work is checked' <<'EOT'
printf '#!/bin/sh\nprintf "[a\\n" >"$1"\n' >editor
chmod +x editor
EDITOR=./editor SEA_CONFIG_GLOBAL=$PWD/edited status 13 sea config edit --global
EDITOR=false status 14 sea config edit --global
EOT

t 'without a home everything but the global file works' <<'EOT'
HOME= status 0 sea config list
HOME= status 2 sea config set --global a.b c
EOT

t 'a file that cannot be written is status 12 and leaves no debris' <<'EOT'
echo plain >file
SEA_CONFIG_GLOBAL=file/config status 12 sea config set --global a.b c
SEA_CONFIG_GLOBAL=/proc/sys/sea status 12 sea config set --global a.b c
echo plain | same file
[ -z "$(find "$HOME/.config" . -name '.sea-tmp*')" ]
EOT

t 'what is written is compressed unless core.compress says otherwise' <<'EOT'
sea init -q a; sea init -q b
sea -C b config set core.compress false
for who in a b; do printf '{"_id":"r","text":"%s"}' "$(head -c 20000 /dev/zero | tr '\0' x)" | sea -C $who put -q -; done
size() { sea -C "$1" cat-block "$(sea -C "$1" rev-parse --instance-id)/1" | wc -c; }
[ "$(size a)" -lt 2000 ]
[ "$(size b)" -gt 20000 ]
EOT

t 'a value that a setting cannot have is refused with what it may be, and named where it stands' <<'EOT'
sea init -q --name=rules rules
cd rules
while read -r name bad good words; do
  status 13 sea config set "$name" "$bad"
  says err "$(echo "$name" | tr A-Z a-z): '$bad' is not $words"
  [ ! -e .sea/config ] || ! grep -q "$bad" .sea/config
  sea config set "$name" "$good"
  [ "$(sea config get "$name")" = "$good" ]
  sea config unset "$name"
done <<'EOX'
hook.timeout banana 5m a duration: seconds
sync.patience soon 0 a duration: seconds
watch.interval 1x 90 a duration: seconds
core.lockWait never forever a duration: seconds
core.maxDataSize 1.5M 2M a size: bytes
import.maxSize lots 1G a size: bytes
init.encrypt maybe off true or false
core.compress zstd true true or false
core.oldKey 2 false true or false
core.abbrev 100 12 a number from 4 to 64
assets.minCopies 0 2 a number, 1 or more
container.c.auto sometimes no true or false
driver.d.scope both record one of record, property
merge.auto dirty drivers one of off, clean, drivers
merge.t/a.policy biggest max one of winner, newest, max, min
merge.atomic a,, a,b groups of paths
EOX
# What is not known is a newer program's.
sea config set hook.limit banana
# Where it stands in the file, who needs it says so, and nobody else.
mkdir .sea/hooks && printf '#!/bin/sh\nexit 0\n' >.sea/hooks/pre-put && chmod +x .sea/hooks/pre-put
printf '[hook]\ntimeout = banana\n' >>.sea/config
status 13 sea put '{"_id":"a"}'
says err "/.sea/config:$(grep -n banana .sea/config | tail -1 | cut -d: -f1): hook.timeout: 'banana' is not a duration"
status 0 sea query
rm -r .sea/hooks
status 0 sea put -q '{"_id":"a"}'
status 13 sea -c core.lockWait=soon put -q '{"_id":"b"}'
says err "core.lockwait: 'soon' is not a duration"
status 0 sea -c core.abbrev=x status
says err "core.abbrev: 'x' is not a number from 4 to 64"
[ "$(grep -c warning err)" = 1 ]
status 13 sea -c init.encrypt=x init other
# An editor may write anything, and is told.
printf '#!/bin/sh\necho "[watch]" >>"$1"; echo "interval = later" >>"$1"\n' >editor && chmod +x editor
VISUAL="$PWD/editor" status 0 sea config edit
says err "watch.interval: 'later' is not a duration"
EOT

t 'a value of others that is none is passed over' <<'EOT'
sea init -q --name=victim victim
status 13 sea -C victim config set --shared core.compress banana
sea -C victim add-container -q --create c "$PWD/victim.c"
sea -C victim sync -q
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/reader/many_settings.py" victim.c 0 core.compress '' banana
sea -C victim sync -q
sea -C victim config list --shared >out && same out </dev/null
status 0 sea -C victim put '{"_id":"a"}'
same err </dev/null
EOT
