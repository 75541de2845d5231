#!/usr/bin/env bash
# Builds and runs every test, with gcc and with clang's sanitizers, those of SQL also with a current
# SQLite, and checks the format of the sources. Where the collections of expected rows lie beside the checkout, what disagrees must be what
# tests/known says. The last line sums everything up.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh --tests
export PATH=/usr/bin:$PATH # the system's Python: those of version managers start by a shell, and tests start one 2,000 times
export CC_LD=lld # a third of the time, as each test is linked with all of the program

passed=0
skipped=0
failed=0
processes=$(($(nproc) + 1)) # some of them wait most of the time
failures=                   # what failed, with the last that it said: told again at the end

report() { # NAME STATUS [LOG]
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
    echo "ok: $1"
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
    failures+="FAILED: $1"$'\n'
    [ -z "${3-}" ] || failures+="$(tail -n 20 "$3")"$'\n'
  fi
}

# Of each test in a log of meson's that failed: its name, and the last lines of what it printed.
failures_of() { # LOG
  python3 - "$1" <<'END'
import json, sys

for line in open(sys.argv[1]):
    test = json.loads(line)
    if test["result"] not in ("OK", "SKIP"):
        said = (test.get("stdout", "") + test.get("stderr", "")).splitlines()
        print(f"FAILED: {test['name']} of {sys.argv[1].split('/')[0]}: {test['result']}", *said[-20:], sep="\n")
END
}

# Counts what the tests of a build's folder said: each of them counts.
count_tests() { # FOLDER
  local log=$1/meson-logs/testlog.json good left_out bad
  good=$(grep -c '"result": "OK"' "$log" || true)
  left_out=$(grep -c '"result": "SKIP"' "$log" || true)
  bad=$(grep -c '"result": "' "$log" || true)
  bad=$((bad - good - left_out))
  passed=$((passed + good))
  skipped=$((skipped + left_out))
  failed=$((failed + bad))
  [ "$bad" -eq 0 ] || failures+="$(failures_of "$log")"$'\n'
  if [ "$good" -eq 0 ]; then
    report "tests of $1" 1
  fi
}

# Builds in $1 and runs its tests. One that a build cannot run skips itself.
build_and_test() {
  local dir=$1
  shift
  [ ! -f "$dir/build.ninja" ] || set -- --reconfigure # files are found when meson configures
  meson setup "$@" "$dir" || true
  if ! ninja -C "$dir"; then
    report "building $dir" 1
    return
  fi
  rm -f "$dir/meson-logs/testlog.json"
  meson test -C "$dir" --print-errorlogs --num-processes "$processes" || true
  count_tests "$dir"
}

# The same elsewhere, by a script that exits with 77 where it cannot be had.
build_and_test_by() { # FOLDER SCRIPT...
  local folder=$1 status=0
  shift
  rm -rf "$folder"
  "$@" || status=$?
  if [ "$status" -eq 77 ]; then
    skipped=$((skipped + 1))
  elif [ -f "$folder/meson-logs/testlog.json" ]; then
    count_tests "$folder"
  else
    report "building in $folder" 1
  fi
}

status=0
find src tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror || status=$?
report 'format of the sources' "$status"

build_and_test build
# What SQL does, with a current SQLite in the place of the system's; the program with musl has it for tests of rows.
with_current_sqlite() {
  LD_LIBRARY_PATH=$PWD/build/current-sqlite meson test -C build --no-rebuild --print-errorlogs \
    bounded_run cancel complete database flamegraph graph_operators interrupt interval_operators limits perfetto_sql pushdown \
    slice_operators sql sql_definitions sql_functions sql_operators vector
}

if scripts/current-sqlite.sh build/current-sqlite; then
  status=0
  with_current_sqlite || status=$?
  report 'SQL with a current SQLite' "$status"
else
  skipped=$((skipped + 1))
  echo 'skipped: SQL with a current SQLite (npm does not give it)'
fi

# The server of the Model Context Protocol, with its official client.
status=0
scripts/mcp-client.sh build/mcp-client build/tptui build/tests/flows.pftrace || status=$?
if [ "$status" -eq 77 ]; then
  skipped=$((skipped + 1))
  echo 'skipped: the official MCP client (npm does not give it)'
else
  report 'the official MCP client' "$status"
fi

# What needs the collections of expected rows: NAME, the file or folder of ../shared that it reads, and the command.
compare() { # NAME NEEDED COMMAND...
  local name=$1 needed=../shared/$2 status=0
  shift 2
  if [ ! -e "$needed" ]; then
    skipped=$((skipped + 1))
    echo "skipped: $name ($needed is not there)"
    return
  fi
  "$@" 2>&1 | tee build/compared.log || status=$?
  report "$name" "$status" build/compared.log
}

has_trees() {
  find ../shared/ -name '*.sql' -print0 | xargs -0 build/tests/test_grammar >build/grammar.log 2>&1 || { cat build/grammar.log; return 1; }
}

compare 'expected rows' conformance tests/check_known.py
compare 'windows of traces' traces \
  tests/check_window.py build/tptui --known tests/known/windows.txt -j 2 ../shared/traces/*/trace.*
compare 'windows of small traces' conformance \
  tests/check_window.py build/tptui --known tests/known/windows.txt -j 2 ../shared/conformance/*/*/trace.*
compare 'expressions' facts/expressions.tsv \
  tests/check_expressions.py build/tptui ../shared/facts/expressions.tsv tests/rows/json_empty.json tests/known/expressions.txt
compare 'all expected SQL has a tree' conformance has_trees

CC=clang build_and_test build-asan -Doptimization=2 -Devery_window=false -Db_sanitize=address,undefined -Db_lundef=false \
  '-Dc_args=-gline-tables-only -fno-sanitize-recover=undefined' # a finding says its lines and ends the test

build_and_test_by build-trixie scripts/test-in-root.sh trixie
build_and_test_by build-musl/tptui scripts/test-musl.sh

printf %s "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
