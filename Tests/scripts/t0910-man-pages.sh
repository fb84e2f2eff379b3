# limit: 120
# The pages as readers see them, rendered by mandoc and by groff: Tests/pages.py says what it looks for.
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/pages.py" "$SEA_TEST_ROOT"/man/*.[157]
