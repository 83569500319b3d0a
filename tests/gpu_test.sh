#!/bin/sh
# Runs the tests on the CUDA device of this machine: gpu_test.sh BUILD [PART...]. PART: test, memcheck, racecheck,
# initcheck, synccheck; all by default. The tools of compute-sanitizer take small sizes; logs go to BUILD/gpu_test/.
# BUILD needs tests/gpu_test alone, which needs no library but libc and its parts.
set -u
build=$1
shift
program=$build/tests/gpu_test
logs=$build/gpu_test
mkdir -p "$logs"
failed=0

# run NAME SECONDS COMMAND...: prints the end of the log, and counts a failure.
run()
{
    name=$1
    seconds=$2
    shift 2
    if timeout "$seconds" "$@" >"$logs/$name.log" 2>&1; then
        printf '%s: ok: %s\n' "$name" "$(tail -n 1 "$logs/$name.log")"
    else
        printf '%s: FAILED (status %s)\n' "$name" "$?"
        grep -E -A 12 '=========|FAILED|\.c:[0-9]+:' "$logs/$name.log" | head -n 60
        failed=1
    fi
}

[ $# -gt 0 ] || set -- test memcheck racecheck initcheck synccheck
for part in "$@"; do
    case $part in
    test) run test 300 "$program" cuda ;;
    memcheck) BOSC_TEST_SMALL=1 run memcheck 600 compute-sanitizer --tool memcheck --leak-check full --error-exitcode 9 "$program" cuda ;;
    racecheck | initcheck | synccheck)
        BOSC_TEST_SMALL=1 run "$part" 600 compute-sanitizer --tool "$part" --error-exitcode 9 "$program" cuda
        ;;
    *)
        printf 'gpu_test.sh: no part is called %s\n' "$part" >&2
        exit 2
        ;;
    esac
done
exit $failed
