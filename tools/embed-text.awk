# embed-text.awk: turns a text file into a C array of its lines, each with its line end, and a NULL.
#
#   awk -f embed-text.awk -v name=skn_tour_text FILE
#
# Lines and not one literal: a compiler need not take literals of more than 4095 bytes. Works with mawk and gawk.

BEGIN { printf "extern const char *const %s[];\nconst char *const %s[] = {\n", name, name }

{
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    gsub(/\t/, "\\t")
    printf "    \"%s\\n\",\n", $0
}

END { print "    0,\n};" }
