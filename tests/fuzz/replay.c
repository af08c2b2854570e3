/* replay.c: runs a fuzz target over the files of its corpus, once each, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *dir, const char *name)
{
    enum { LIMIT = 1 << 20 };
    char     path[4096];
    uint8_t *data = malloc(LIMIT);
    size_t   size;
    FILE    *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!f || !data) {
        perror(path);
        exit(1);
    }
    size = fread(data, 1, LIMIT, f);
    fclose(f);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    DIR           *dir = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int            files = 0;

    if (!dir) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            files += replay(argv[1], entry->d_name);
    closedir(dir);
    printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
