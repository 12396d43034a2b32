#!/bin/sh
# check-includes.sh [ROOT]: a file of src includes only from its own folder and from folders to its left in the
# flow of data, as "folder/file.h"; the optional libraries appear in one folder each. M and G of a system are read through
# its operators alone (contact/system.h): what evaluates a model by itself, the folder model and the lanes, has its own.
set -eu
cd "${1:-.}"

# shellcheck disable=SC2046 # no blanks in our file names
awk '
BEGIN {
    n = split("core text expr geometry laws model bodies problem solvers contact schemes sim analysis output cli", order, " ")
    for (i = 1; i <= n; i++)
        rank[order[i]] = i
    home["libfyaml.h"] = "text"; home["hdf5.h"] = "output"; home["check.h"] = "tests"
    home["sqlite3.h"] = "output"; home["png.h"] = "output"; home["mpi.h"] = "cli"
}
function bad(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; failed = 1 }
FNR == 1 {
    split(FILENAME, path, "/")
    folder = path[2]
    if (!(folder in rank))
        bad("folder \"" folder "\" has no place in the flow of data")
    operators = rank[folder] >= rank["contact"] && FILENAME !~ /contact\/system\.[ch]$|analysis\/lanes\//
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    name = quoted[2]
    if (name ~ /^carom[a-z_]*\.h$/) {
        if (name == "carom_analysis.h" && rank[folder] < rank["analysis"])
            bad("\"" name "\" belongs to analysis, right of " folder)
    } else if (split(name, part, "/") < 2 || !(part[1] in rank))
        bad("\"" name "\" is not of the form \"folder/file.h\"")
    else if (rank[part[1]] > rank[folder])
        bad(folder " includes \"" name "\" from its right")
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, angle, "[<>]")
    if (angle[2] in home && home[angle[2]] != folder)
        bad("<" angle[2] "> belongs in " home[angle[2]])
}
operators && /(^|[^.a-z_])([a-z_]+->)*(sys|system)(->|\.)at\.[MG][^A-Za-z_]/ { bad("reads M or G: use the operators of contact/system.h") }
END { exit failed }
' $(find src -name '*.[ch]' | sort)
