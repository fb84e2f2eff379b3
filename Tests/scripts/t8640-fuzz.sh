# limit: 240
# sealed: no
# Blocks with good signatures and whatever in them: every command reads them and ends as it should.
# The time and the memory are those of a program that is compiled for use; a debug build may take ten times as much.
fuzz="${PYTHON:-/usr/bin/python3} $SEA_TEST_ROOT/Tests/reader/fuzz_blocks.py"
export fuzz
t "$((500 * SEA_TEST_MORE)) signed blocks of nonsense, seed $SEA_TEST_SEED: no crash, no hang, little memory" <<'EOT'
$fuzz $((500 * SEA_TEST_MORE)) --sea "$(command -v sea)" --seed "$SEA_TEST_SEED" --seconds "${SEA_FUZZ_SECONDS:-10}" --keep "" >out || { cat out; exit 1; }
grep -q ' 0 wrong$' out
EOT
