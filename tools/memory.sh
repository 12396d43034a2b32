#!/bin/sh
# memory.sh BUILD [TESTS]: values that nobody has set: test programs of BUILD (a plain build) under
# valgrind's memcheck, those whose names match the regular expression TESTS; without it a set that meets every folder of
# the core. MemorySanitizer would want every library compiled anew. Leaks are the matter of LeakSanitizer
# (make test); tests that compare with long double fail here, where it has 64 bits: they are told and do not count. Every test
# has a process of its own, as in the suite: some leave nothing behind that another could use. Exit 1: an error.
set -u
build=$1
tests=${2:-'test_(core|dense|eigen|sparse|text|text_json|expr_parse|expr_diff|expr_tape|geometry_broad|laws|impact_laws|structure|links|shares|painleve|solvers|solvers_data|several_contacts|kern|scheme_details|exact|exact_contacts|exact_forced|tolerance|tolerance_kinks|tolerance_options|tolerance_stiff|galerkin_contact|checkpoint|model_load|model_derive|norms|local_error|output|output_files|sweep_store|draw)'}
bad=0 all=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$build"/tests/test_*; do
    name=$(basename "$program")
    if ! echo "$name" | grep -qxE "$tests"; then continue; fi
    code=0
    timeout 1800 valgrind -q --leak-check=no "$program" >"$log" 2>&1 </dev/null || code=$?
    if grep -q '^==' "$log"; then
        bad=$((bad + 1)); echo "$name:"; grep -m1 -A8 '^==' "$log"
    else
        case $code in
        0 | 77) echo "$name: fine" ;;
        1) echo "$name: fine, but these fail: $(sed -n 's/.*:[FE]:[^:]*:\([a-z_0-9]*\):.*/\1/p' "$log" | sort -u | tr '\n' ' ')" ;;
        *) bad=$((bad + 1)); echo "$name: exit $code"; tail -3 "$log" ;;
        esac
    fi
    all=$((all + 1))
done
echo "$all programs, $bad with errors"
[ $bad = 0 ] && [ $all -gt 0 ]
