#!/bin/sh
# Runs the tests on the CUDA device of this machine: gpu_test.sh BUILD [PART...]. PART: test, gpus, memcheck, racecheck,
# initcheck, synccheck; all by default. A PART may name one suite: racecheck:prims_sorts. `test` runs every trial, of ranks
# on all devices; `gpus` the suites of ranks on 1, 2 and 4 of the devices, as far as there are so many and `test` does not
# do so, as threads and by NCCL where it is installed; the tools of compute-sanitizer, which take seconds for each kernel, run
# a few small ones of every case. Suites run side by side, GPU_TEST_JOBS at once (8), and those by NCCL, whose kernels wait on
# the devices, behind the others, GPU_TEST_NCCL_JOBS at once (4); of several devices each takes the next ones. Logs go to
# BUILD/gpu_test/. BUILD needs tests/gpu_test alone, which needs no library but libc and its parts.
set -u
build=$1
shift
program=$build/tests/gpu_test
logs=$build/gpu_test
mkdir -p "$logs"
[ $# -gt 0 ] || set -- test gpus memcheck racecheck initcheck synccheck

list=$logs/list # a line "PART SUITE DEVICES" for each run; DEVICES: all, or as CUDA_VISIBLE_DEVICES has them
: >"$list"
: >"$list.nccl"

# Whether the part "test" runs a suite, or all.
tests()
{
    case " $parts " in *" test "* | *" test:$1 "*) return 0 ;; esac
    return 1
}

# The devices, one a line, as CUDA_VISIBLE_DEVICES names them.
devices()
{
    if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then
        printf '%s\n' "$CUDA_VISIBLE_DEVICES" | tr ',' '\n'
    else
        nvidia-smi --query-gpu=index --format=csv,noheader
    fi
}

# Runs of the suites that a pattern names, on so many devices: $1 PATTERN $2 PART $3 NUMBER. Each takes the next ones.
list_on_devices()
{
    groups=$((found / $3)) at=0
    for suite in $("$program" --list | grep -E "^$1\$"); do
        first=$((at % groups * $3 + 1))
        printf '%s %s %s\n' "$2" "$suite" "$(devices | sed -n "$first,$((first + $3 - 1))p" | paste -sd , -)"
        at=$((at + 1))
    done
}

# Runs of the suites of ranks ($1: or of one suite) on 1, 2 and 4 devices: gpusN, and ncclN by NCCL.
list_gpus()
{
    found=$(devices | wc -l)
    for n in 1 2 4; do
        if [ "$n" -gt "$found" ]; then
            printf 'gpus: %s: skipped: devices of this machine: %s\n' "$n" "$found"
            continue
        fi
        if [ "$n" -eq "$found" ] && tests "$1"; then
            printf 'gpus: %s: skipped: the part test has all devices\n' "$n"
        else
            list_on_devices "${1:-(comm|ranks_.*|io_ranks)}" "gpus$n" "$n" >>"$list"
        fi
        [ "$n" -gt 1 ] || continue
        if ldconfig -p 2>/dev/null | grep -q 'libnccl\.so\.2'; then
            list_on_devices "${1:-(comm|ranks_.*)}" "nccl$n" "$n" >>"$list.nccl"
        else
            printf 'gpus: %s by NCCL: skipped: there is no libnccl.so.2\n' "$n"
        fi
    done
}
parts=$*
for part in "$@"; do
    case ${part%%:*} in
    test | gpus | memcheck | racecheck | initcheck | synccheck) ;;
    *)
        printf 'gpu_test.sh: no part is called %s\n' "$part" >&2
        exit 2
        ;;
    esac
    case $part in
    gpus*) 
        suite=${part#gpus}
        list_gpus "${suite#:}"
        ;;
    *:*) printf '%s %s all\n' "${part%%:*}" "${part#*:}" >>"$list" ;;
    *) "$program" --list | sed "s/.*/$part & all/" >>"$list" ;;
    esac
done

# One line of the list: PROGRAM LOGS PART SUITE DEVICES. Prints one line, and of a failure the end of the log.
# shellcheck disable=SC2016 # expanded by the inner shell
one='
program=$1 log=$2/$3.$4.log devices=$5
set -- "$3" "$4"
few=50 more=
[ "$1" = memcheck ] && more="--leak-check full"
# Their trees in shared memory are read and joined at once by relaxed loads and compare-and-swaps, which racecheck takes
# for races; ThreadSanitizer knows such accesses, and looks at all others in the emulator.
[ "$1" = racecheck ] && more="--kernel-name-exclude regex=bi_(components_single_block|msf_single_block_forest)"
case $1 in
test) set -- "$@" timeout 300 "$program" cuda "$2" ;;
gpus* | nccl*)
    [ "${1%?}" = nccl ] && RANKS_BY_NCCL=libnccl.so.2 && export RANKS_BY_NCCL
    set -- "$1" "$2" env CUDA_VISIBLE_DEVICES="$devices" timeout 300 "$program" cuda "$2"
    ;;
*) set -- "$@" timeout 300 compute-sanitizer --tool "$1" $more --error-exitcode 9 "$program" --few "$few" cuda "$2" ;;
esac
name="$1 $2"
shift 2
if "$@" >"$log" 2>&1; then
    printf "%s: ok: %s\n" "$name" "$(grep -E " passed, |: [0-9.]+ s$" "$log" | tr "\n" " ")"
else
    printf "%s: FAILED (status %s), see %s\n" "$name" "$?" "$log"
    grep -E -A 12 "=========|FAILED|\.c:[0-9]+:" "$log" | head -n 60
    exit 1
fi
'
status=0
xargs -r -n 3 -P "${GPU_TEST_JOBS:-8}" sh -c "$one" gpu_test "$program" "$logs" <"$list" || status=$?
xargs -r -n 3 -P "${GPU_TEST_NCCL_JOBS:-4}" sh -c "$one" gpu_test "$program" "$logs" <"$list.nccl" || status=$?
exit "$status"
