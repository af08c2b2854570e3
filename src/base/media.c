#include "base/media.h"
#include "base/utf8.h"

#define UNKNOWN    "application/octet-stream"
#define LOOKED_AT  ((size_t)64 * 1024)
#define TYPE_BYTES ((size_t)127)

static int64_t number_at(skn_str s, size_t at, int bytes, bool little)
{
    int64_t n = 0;

    for (int i = 0; i < bytes; i++)
        n |= (int64_t)(unsigned char)s.p[at + (size_t)i] << 8 * (little ? i : bytes - 1 - i);
    return n;
}

static bool has_at(skn_str s, size_t at, skn_str mark)
{
    return s.n >= at + mark.n && skn_str_eq(skn_str_sub(s, at, at + mark.n), mark);
}

/* --- Images ------------------------------------------------------------------------------------ */

static void look_png(skn_str s, skn_media *out)
{
    if (s.n < 24 || !has_at(s, 12, SKN_STR("IHDR")))
        return;
    out->width = number_at(s, 16, 4, false);
    out->height = number_at(s, 20, 4, false);
}

static void look_gif(skn_str s, skn_media *out)
{
    if (s.n < 10)
        return;
    out->width = number_at(s, 6, 2, true);
    out->height = number_at(s, 8, 2, true);
}

/* Its size is in the first frame header (SOF0 to SOF15 without DHT, JPG and DAC), behind segments that say how long they are. */
static void look_jpeg(skn_str s, skn_media *out)
{
    size_t at = 2;

    while (at + 9 <= s.n && (unsigned char)s.p[at] == 0xff) {
        unsigned char kind = (unsigned char)s.p[at + 1];

        if (kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc) {
            out->height = number_at(s, at + 5, 2, false);
            out->width = number_at(s, at + 7, 2, false);
            return;
        }
        at += kind == 0xff ? 1 : 2 + (size_t)number_at(s, at + 2, 2, false);
    }
}

static void look_webp(skn_str s, skn_media *out)
{
    if (s.n < 30)
        return;
    if (has_at(s, 12, SKN_STR("VP8X"))) {
        out->width = number_at(s, 24, 3, true) + 1;
        out->height = number_at(s, 27, 3, true) + 1;
    } else if (has_at(s, 12, SKN_STR("VP8L"))) {
        int64_t bits = number_at(s, 21, 4, true);

        out->width = (bits & 0x3fff) + 1;
        out->height = (bits >> 14 & 0x3fff) + 1;
    } else if (has_at(s, 12, SKN_STR("VP8 "))) {
        out->width = number_at(s, 26, 2, true) & 0x3fff;
        out->height = number_at(s, 28, 2, true) & 0x3fff;
    }
}

/* --- All of them ---------------------------------------------------------------------------------- */

#define MARK(text)                                                                             \
    {                                                                                          \
        "" text, sizeof(text) - 1                                                              \
    }

static const struct mark {
    size_t      at;
    skn_str     text;
    const char *type;
    void (*look)(skn_str s, skn_media *out); /* finds the size of an image; NULL: it is none */
} marks[] = {{0, MARK("\x89PNG\r\n\x1a\n"), "image/png", look_png},
             {0, MARK("\xff\xd8\xff"), "image/jpeg", look_jpeg},
             {0, MARK("GIF87a"), "image/gif", look_gif},
             {0, MARK("GIF89a"), "image/gif", look_gif},
             {8, MARK("WEBP"), "image/webp", look_webp},
             {0, MARK("%PDF-"), "application/pdf", NULL},
             {0, MARK("PK\x03\x04"), "application/zip", NULL},
             {8, MARK("WAVE"), "audio/wav", NULL},
             {0, MARK("ID3"), "audio/mpeg", NULL},
             {0, MARK("OggS"), "audio/ogg", NULL},
             {0, MARK("fLaC"), "audio/flac", NULL},
             {4, MARK("ftyp"), "video/mp4", NULL},
             {0, MARK("\x1a\x45\xdf\xa3"), "video/webm", NULL},
             {0, MARK("\x1f\x8b"), "application/gzip", NULL}};

/* A character may be cut at the end of what is looked at. */
static bool is_text(skn_str s)
{
    size_t bad;

    if (s.n > LOOKED_AT)
        s = skn_utf8_cut(s, LOOKED_AT);
    return skn_utf8_valid(s, &bad);
}

skn_media skn_media_look(skn_str bytes)
{
    skn_media out = {.type = UNKNOWN};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const struct mark *m = &marks[i];

        if (!has_at(bytes, m->at, m->text) ||
            (m->at == 8 && !has_at(bytes, 0, SKN_STR("RIFF"))))
            continue;
        if (m->look)
            m->look(bytes, &out);
        if (!m->look || (out.width > 0 && out.width <= SKN_MEDIA_SIDE && out.height > 0 &&
                         out.height <= SKN_MEDIA_SIDE))
            out.type = m->type;
        else
            out.width = out.height = 0;
        return out;
    }
    if (is_text(bytes))
        out.type = "text/plain";
    return out;
}

/* --- Its type ------------------------------------------------------------------------------------- */

/* What endings of names say, of texts and of archives that are documents. */
static const struct ending {
    const char *end, *type;
} endings[] = {
    {".md", "text/markdown"},
    {".csv", "text/csv"},
    {".html", "text/html"},
    {".htm", "text/html"},
    {".json", "application/json"},
    {".yaml", "application/yaml"},
    {".yml", "application/yaml"},
    {".xml", "application/xml"},
    {".svg", "image/svg+xml"},
    {".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {".odt", "application/vnd.oasis.opendocument.text"}};

static bool type_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
           c == '+' || c == '-' || c == '_';
}

/* In lower case it is one, or counts for none. */
static bool is_type(skn_str s)
{
    size_t slashes = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (!type_char(s.p[i]))
            return false;
        slashes += s.p[i] == '/';
    }
    return slashes == 1 && s.n <= TYPE_BYTES && s.p[0] != '/' && s.p[s.n - 1] != '/';
}

bool skn_media_is_image(skn_str type)
{
    return skn_str_among(type, "image/png image/jpeg image/gif image/webp");
}

bool skn_media_is_text(skn_str type)
{
    return skn_str_starts(type, SKN_STR("text/")) || skn_str_ends(type, SKN_STR("+xml")) ||
           skn_str_ends(type, SKN_STR("+json")) ||
           skn_str_among(type, "application/json application/yaml application/xml "
                               "application/javascript application/x-ndjson application/sql "
                               "application/toml application/x-sh");
}

skn_str skn_media_type(const skn_media *seen, skn_str declared, skn_str name)
{
    skn_str is = skn_str_of(seen->type), word = declared;
    bool    text = skn_str_is(is, "text/plain");

    skn_str_split(&declared, ';', &word);
    word = skn_str_trim(word);
    if (!is_type(word) || skn_str_is(word, UNKNOWN) || skn_str_is(word, "text/plain")) {
        word = is;
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            if (skn_str_ends(name, skn_str_of(endings[i].end)))
                word = skn_str_of(endings[i].type);
    }
    if (skn_media_is_image(is))
        return is;
    if (skn_media_is_image(word))
        return SKN_NONE;
    if (text)
        return skn_media_is_text(word) ? word : is;
    if (skn_str_is(is, "application/zip"))
        return skn_str_starts(word, SKN_STR("application/vnd.")) ? word : is;
    if (!skn_str_is(is, UNKNOWN))
        return is;
    return skn_media_is_text(word) || skn_str_is(word, "application/pdf") ? is : word;
}
