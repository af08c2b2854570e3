# embed-file.awk: turns a text file into C.
#
#   awk -f embed-file.awk -v name=skn_openapi_json FILE
#
# Defines `const char NAME[]` with the file's bytes and a NUL, and `const size_t NAME_size`. Written as
# numbers, since a compiler need not take string literals of this length. Works with mawk and gawk.

BEGIN {
    for (i = 0; i < 256; i++)
        code[sprintf("%c", i)] = i
    printf "#include <stddef.h>\n\nextern const char %s[];\nextern const size_t %s_size;\n\n", name, name
    printf "const char %s[] = {\n", name
}

{
    n = length($0)
    line = ""
    for (i = 1; i <= n; i++) {
        c = code[substr($0, i, 1)]
        line = line (c < 128 ? c : c - 256) ","
        if (i % 24 == 0)
            line = line "\n"
    }
    print line "10,"
}

END {
    printf "0};\nconst size_t %s_size = sizeof %s - 1;\n", name, name
}
