#!/bin/sh
# tool.sh BOSCAGE MPIRUN...: the tool on several processes writes the files that one process writes, and writes them once.
set -eu
tool=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$tool" generate points --n 3000 --dim 3 -o p.npy --quiet
"$tool" generate graph --n 2000 --m 3000 -o g.gr --quiet
"$tool" kdtree knn p.npy --queries p.npy -k 3 -o i.npy --distances d.npy --quiet
"$tool" emst p.npy -o e.npy --lengths w.npy --quiet
"$tool" generate graph --n 2000 --m 3000 -o g.bosc --quiet
"$tool" mst g.gr -o t.gr --quiet
"$tool" mst g.gr -o t.npy --quiet
"$tool" mst g.bosc -o s.gr --quiet
"$tool" components g.gr -o c.npy --quiet
printf '0 1 5\n1 2 0.5\n2 3 7\n3 0 -1\n9 4 1e10\n' >odd.el
"$tool" mst odd.el -o z.mtx --quiet
"$tool" generate vectors --n 2000 --bits 12 -o v.npy --quiet
"$tool" cellgraph v.npy --bits 12 -o x.npy --quiet
"$tool" cellgraph components v.npy --bits 12 -o l.npy --quiet
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (2000,), }" >a8.npy
yes yynnyny | head -c 2000 | tr '\n' y | tr yn '\001\000' >>a8.npy
"$tool" cellgraph components v.npy --bits 12 --allowed a8.npy -o lm.npy --quiet
"$tool" kdtree pairs p.npy -r 0.05 -o y.npy --quiet
"$tool" generate pairs --n 2000 -o a.npy b.npy --quiet
"$tool" hash lookup --keys a.npy --values b.npy --queries a.npy --duplicates sum -o f.npy --found h.npy --quiet
"$tool" hash unique a.npy -o u.npy --keys-out q.npy --quiet
"$tool" kdtree build p.npy -o k.bosc --quiet
"$tool" kdtree radius p.npy --queries p.npy -r 0.1 --offsets o.npy -o r.npy --distances s.npy --quiet
seq 1 500 | sed 's/$/ 3/; s/^[0-9]*\([0-9]\)/\1/' >few.txt
"$tool" kdtree build few.txt --unique -o m.bosc --quiet
for ranks in 2 3; do
    "$@" -n $ranks "$tool" kdtree build p.npy -o k$ranks.bosc --quiet
    "$@" -n $ranks "$tool" kdtree verify k$ranks.bosc --quiet
    "$@" -n $ranks "$tool" kdtree radius k.bosc --queries p.npy -r 0.1 --offsets o$ranks.npy -o r$ranks.npy --distances s$ranks.npy --quiet
    "$@" -n $ranks "$tool" kdtree knn p.npy --queries p.npy -k 3 -o i$ranks.npy --distances d$ranks.npy --json >out
    [ "$(grep -c '"ranks": '$ranks out)" = 1 ]
    "$@" -n $ranks "$tool" emst p.npy -o e$ranks.npy --lengths w$ranks.npy --quiet
    "$@" -n $ranks "$tool" mst g.gr -o t$ranks.gr --quiet
    "$@" -n $ranks "$tool" components g.gr -o c$ranks.npy --quiet
    "$@" -n $ranks "$tool" cellgraph v.npy --bits 12 -o x$ranks.npy --quiet
    if [ $ranks = 2 ]; then # a few on each number, as each takes seconds
        "$@" -n $ranks "$tool" cellgraph components v.npy --bits 12 -o l$ranks.npy --quiet
        "$@" -n $ranks "$tool" cellgraph components v.npy --bits 12 --allowed a8.npy -o lm$ranks.npy --quiet
        "$@" -n $ranks "$tool" kdtree pairs p.npy -r 0.05 -o y$ranks.npy --quiet
        "$@" -n $ranks "$tool" hash lookup --keys a.npy --values b.npy --queries a.npy --duplicates sum -o f$ranks.npy --found h$ranks.npy --quiet
        "$@" -n $ranks "$tool" hash unique a.npy -o u$ranks.npy --keys-out q$ranks.npy --quiet
        names="f.npy h.npy u.npy q.npy l.npy lm.npy y.npy"
    else
        "$@" -n $ranks "$tool" mst g.gr --verify t.npy --quiet
        "$@" -n $ranks "$tool" mst g.bosc -o t$ranks.npy --quiet
        "$@" -n $ranks "$tool" mst g.bosc -o s$ranks.gr --quiet
        "$@" -n $ranks "$tool" mst g.bosc --verify t.npy --quiet
        "$@" -n $ranks "$tool" mst odd.el -o z$ranks.mtx --quiet
        "$@" -n $ranks "$tool" kdtree build few.txt --unique -o m$ranks.bosc --quiet
        names="z.mtx t.npy m.bosc s.gr"
    fi
    for name in $names i.npy d.npy e.npy w.npy t.gr c.npy x.npy k.bosc o.npy r.npy s.npy; do cmp "$name" "${name%.*}$ranks.${name#*.}"; done
done
# An integer weight of one part that would be rounded beside reals of the other is refused, as by one process.
weights() { printf '0 1 %s\n1 2 3\n2 3 4\n3 4 0.5\n' "$1"; }
weights 9007199254740992 >even.el
weights 9007199254740993 >rounded.el
"$tool" mst even.el -o n.csv --quiet
"$@" -n 2 "$tool" mst even.el -o n2.csv --quiet
cmp n.csv n2.csv
if "$tool" mst rounded.el 2>err || "$@" -n 2 "$tool" mst rounded.el -o no.csv 2>>err; then exit 1; fi
[ "$(grep -c 'rounded.el:.* the weight .*9007199254740993.* would be rounded' err)" = 2 ]
[ ! -e no.csv ]
# Edges of networkx without a weight have weight 1, if the weights are in the other part.
for weight in 3 0.5; do
    printf '0 1 {}\n1 2 {}\n2 3 {}\n3 0 {}\n3 4 {"weight": %s}\n' $weight | tr \" \' >nx.el
    "$tool" mst nx.el -o x.csv --quiet
    "$@" -n 2 "$tool" mst nx.el -o x2.csv --quiet
    cmp x.csv x2.csv
done
if "$@" -n 2 "$tool" components none.gr 2>err; then exit 1; fi
grep -q 'none.gr: cannot open' err
