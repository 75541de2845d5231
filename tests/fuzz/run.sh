#!/bin/sh
# Fuzzes with clang's libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer and prints a
# line of figures for each target. A target ends at its first finding, whose input is left in
# build-fuzz/findings; what covers something new is kept in build-fuzz/corpus for the next time.
#
# Usage: tests/fuzz/run.sh [RUNS [TARGET...]]     10000000 runs of each target for Perfetto's packets
set -eu
cd "$(dirname "$0")/../.."

runs=${1:-10000000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- packets ftrace track_event profiles

build=build-fuzz
[ -d $build ] || CC=clang meson setup $build -Dfuzz=true -Db_sanitize=address,undefined \
    -Db_lundef=false > /dev/null
ninja -C $build fuzz-seeds $(for t; do echo "tests/fuzz/fuzz_$t"; done) > /dev/null

seeds=$build/seeds
mkdir -p $seeds $build/findings
find $build/tests/rows -name '*.pftrace' -size -16k -exec cp {} $seeds/ \;

# Stacks of every allocation would take a fifth of the time.
export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=4
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

failed=0
for t; do
    mkdir -p $build/corpus/$t
    log=$build/findings/$t.log
    words=
    [ -f tests/fuzz/$t.dict ] && words=-dict=tests/fuzz/$t.dict
    result="no finding"
    # Weighing inputs by the rarity of what they cover would take two thirds of the time.
    $build/tests/fuzz/fuzz_$t -runs="$runs" -max_len=512 -entropic=0 -reduce_inputs=0 -reload=0 -timeout=10 \
        -rss_limit_mb=1024 -artifact_prefix=$build/findings/"$t"- -print_final_stats=1 $words \
        $build/corpus/$t $seeds tests/fuzz/corpus/$t > $log 2>&1 || {
        # 72: it was interrupted.
        [ $? -eq 72 ] && result="no finding until interrupted" || result="finding: see $log"
        failed=1
    }
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' $log)
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' $log)
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' $log | tail -1)
    echo "$t: $executed runs, $rate a second, $edges edges, $result"
done
exit $failed
