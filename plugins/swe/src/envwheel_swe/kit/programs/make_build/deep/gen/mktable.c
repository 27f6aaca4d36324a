/* mktable TABLE C H: makes C source and header of a table of units. Ends with 1 at a line that is no unit. */
#include <stdio.h>

int main(int argc, char **argv)
{
    char line[200], name[32], rest[2];
    double factor;
    int count = 0, bad = 0;

    if (argc != 4)
        return 2;
    FILE *in = fopen(argv[1], "r"), *c = fopen(argv[2], "w"), *h = fopen(argv[3], "w");
    if (!in || !c || !h)
        return 2;
    fprintf(c, "#include \"table.h\"\n\nconst struct unit table[TABLE_SIZE] = {\n");
    while (!bad && fgets(line, sizeof line, in)) {
        bad = sscanf(line, "%31s %lf %1s", name, &factor, rest) != 2;
        if (!bad) {
            fprintf(c, "    {\"%s\", %.17g},\n", name, factor);
            count++;
        }
    }
    fprintf(c, "};\n");
    fprintf(h, "#include \"units.h\"\n\n#define TABLE_SIZE %d\n\nextern const struct unit table[TABLE_SIZE];\n", count);
    if (bad)
        fprintf(stderr, "%s: no unit: %s", argv[1], line);
    return bad;
}
