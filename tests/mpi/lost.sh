#!/bin/sh
# lost.sh killed|late PROGRAM MPIRUN...: the program ends soon, as failed. If a process is killed, mpirun ends the others;
# if one is late, the others must report it.
set -eu
how=$1
program=$2
shift 2
text=$(timeout 40 "$@" -n 3 "$program" "$how" 2>&1) && status=0 || status=$?
echo "$text"
echo "exit status $status"
[ "$status" != 0 ] && [ "$status" != 124 ]
[ "$how" != late ] || echo "$text" | grep -q "reported: comm: rank"
