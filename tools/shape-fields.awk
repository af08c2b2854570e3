# shape-fields.awk: the keys of shapes as C strings, for who picks members by name.
#
#   awk -f shape-fields.awk FILE.def...
#
# Writes `#define SKN_FIELDS_TASK "id,agent,…"` for each file of rows (src/base/shape_rows.h). A row without a key stands
# for the rows of the shape it names. Works with mawk and gawk.

FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.def$/, "", name)
    names[++count] = name
}

/^[A-Z_]+\(/ && !/^SHAPE/ {
    if (match($0, /"[^"]+"/))
        row = substr($0, RSTART + 1, RLENGTH - 2)
    else if (match($0, /&[a-z_]+_shape/)) {
        row = substr($0, RSTART, RLENGTH - 6)
        sub(/^&(skn_)?/, "\\&", row)
    } else {
        print FILENAME ":" FNR ": a row has a key or names a shape" > "/dev/stderr"
        failed = 1
    }
    rows[name] = rows[name] (rows[name] == "" ? "" : ",") row
}

# No shape holds itself, so this ends.
function keys(of,    part, n, i, list) {
    n = split(rows[of], part, ",")
    for (i = 1; i <= n; i++)
        list = list (i > 1 ? "," : "") (part[i] ~ /^&/ ? keys(substr(part[i], 2)) : part[i])
    return list
}

END {
    for (i = 1; i <= count; i++)
        printf "#define SKN_FIELDS_%s \"%s\"\n", toupper(names[i]), keys(names[i])
    exit failed
}
