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
status $NO sea config get merge.host/ram_gb.policy
[ ! -s out ]
[ ! -s err ]
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

t 'an invalid file is reported with its line' <<'EOT'
printf '[core]\nabbrev 9\n' >broken
SEA_CONFIG_GLOBAL=broken status $BAD_DATA sea config list
says err 'broken:2:'
EOT

t 'the editor is run, and its work is checked' <<'EOT'
printf '#!/bin/sh\nprintf "[a\\n" >"$1"\n' >editor
chmod +x editor
EDITOR=./editor SEA_CONFIG_GLOBAL=$PWD/edited status $BAD_DATA sea config edit --global
EDITOR=false status $REFUSED sea config edit --global
EOT

t 'without a home everything but the global file works' <<'EOT'
HOME= status 0 sea config list
HOME= status $USAGE sea config set --global core.abbrev 9
EOT

t 'a file that cannot be written is status 12 and leaves no debris' <<'EOT'
echo plain >file
SEA_CONFIG_GLOBAL=file/config status $SYSTEM sea config set --global core.abbrev 9
SEA_CONFIG_GLOBAL=/proc/sys/sea status $SYSTEM sea config set --global core.abbrev 9
echo plain | same file
[ -z "$(find "$HOME/.config" . -name '.sea-tmp*')" ]
EOT

t 'blocks are compressed unless core.compress is false' <<'EOT'
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
  status $BAD_DATA sea config set "$name" "$bad"
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
merge.t.policy /a=biggest /a=max POLICY or PATH=POLICY, with one of winner, newest, max, min
merge.t.driver /a x DRIVER or PATH=DRIVER
merge.atomic a,b /a,/b a group of paths, such as /lat,/lon
EOX
# What is not known may be a newer program's, who says so.
status $USAGE sea config set hook.limit banana
sea config set --force hook.limit banana
sea config set --force merge.policy oldest
sea config unset merge.policy
# Where it stands in the file, who needs it says so, and nobody else.
mkdir .sea/hooks && printf '#!/bin/sh\nexit 0\n' >.sea/hooks/pre-put && chmod +x .sea/hooks/pre-put
printf '[hook]\ntimeout = banana\n' >>.sea/config
status $BAD_DATA sea put '{"_id":"a"}'
says err "/.sea/config:$(grep -n banana .sea/config | tail -1 | cut -d: -f1): hook.timeout: 'banana' is not a duration"
status 0 sea query
rm -r .sea/hooks
status 0 sea put -q '{"_id":"a"}'
status $BAD_DATA sea -c core.lockWait=soon put -q '{"_id":"b"}'
says err "core.lockwait: 'soon' is not a duration"
status 0 sea -c core.abbrev=x status
says err "core.abbrev: 'x' is not a number from 4 to 64"
[ "$(grep -c warning err)" = 1 ]
status $BAD_DATA sea -c init.encrypt=x init other
# An editor may write anything, and is told.
printf '#!/bin/sh\necho "[watch]" >>"$1"; echo "interval = later" >>"$1"\n' >editor && chmod +x editor
VISUAL="$PWD/editor" status 0 sea config edit
says err "watch.interval: 'later' is not a duration"
EOT

t 'a value of others that is none is passed over' <<'EOT'
sea init -q --name=victim victim
status $BAD_DATA sea -C victim config set --shared core.compress banana
sea -C victim add-container -q --create c "$PWD/victim.c"
sea -C victim sync -q
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/reader/many_settings.py" victim.c 0 core.compress '' banana
sea -C victim sync -q
sea -C victim config list --shared >out
same out </dev/null
status 0 sea -C victim put '{"_id":"a"}'
same err </dev/null
EOT

t 'a name that no setting has is refused, with the one that was meant' <<'EOT'
sea init -q --name=names names
cd names
while read -r name meant; do
  status $USAGE sea config set "$name" 1
  says err "$meant"
  [ ! -e .sea/config ]
done <<'EOX'
core.abbrv did you mean: core.abbrev; to set it anyway, use --force
abbrev did you mean: core.abbrev
core.pger did you mean: core.pager
container.team.atuo did you mean: container.team.auto
merge.bird.polcy did you mean: merge.bird.policy
driver.command did you mean: driver.NAME.command
user.name hint: to list settings, run: sea config list --describe; to set it anyway, use --force
EOX
status $BAD_DATA sea config set merge.policy newst
says err "did you mean 'newest'?"
status $BAD_DATA sea config set merge.bird.policy 'max /name=newst /n='
says err "merge.bird.policy: '/name=newst' is not POLICY or PATH=POLICY"
says err "did you mean 'newest'?"
status $USAGE sea config set --shared core.abrev 9
status $NO sea config get core.abbrv
says err "did you mean 'core.abbrev'?"
status 0 sea -c core.abbrv=5 status
says err 'warning[unknown-setting]: -c: unknown setting'
sea -c another.programs=5 status >/dev/null 2>err
same err </dev/null
# An editor may write anything, and is told.
printf '#!/bin/sh\nprintf "[core]\\n\\tabbrv = 5\\n" >>"$1"\n' >editor && chmod +x editor
VISUAL="$PWD/editor" status 0 sea config edit
says err "/.sea/config:2: unknown setting 'core.abbrv'"
EOT

t 'every setting is described' <<'EOT'
sea config list --describe >out
says out 'core.lockWait=10'
says out '    how long a writer waits for the lock; a duration'
sea -c core.lockWait=7 config list --describe | grep -qx 'core.lockWait=7'
status $USAGE sea config list --describe --global
sea config list --describe --json | jq -se 'any(.name == "merge.auto" and .value == "clean" and .choices[0] == "off" and .shareable)' >/dev/null
EOT

t 'the settings of a device can be read while the database is damaged' <<'EOT'
sea init -q torn
sea -C torn config set core.lockWait 7
printf 'not a database' >torn/.sea/db
[ "$(sea -C torn config get core.lockWait)" = 7 ]
status 5 sea -C torn config get core.abbrev
EOT
