/* Pieces of source files: whole, by name, by line; and nothing outside the folder. */
#include "base/buf.h"
#include "engine/engine.h"
#include "exchange/exchange.h"
#include "exchange/filespec.h"
#include "exchange/outline.h"
#include <skein/filespec.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char       root[64];
static skn_arena *mem;

static int set_up(void **state)
{
    (void)state;
    mem = skn_arena_new();
    memcpy(root, "/tmp/skein-filespec-XXXXXX", 27);
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const made[] = {"a.c",  "a.txt",     "out.txt", "in.txt", "fifo",
                                       "loop", "sub/b.txt", "up",      "sub"};

    (void)state;
    skn_arena_free(mem);
    for (size_t i = 0; i < COUNT(made); i++) {
        char path[128];

        snprintf(path, sizeof path, "%s/%s", root, made[i]);
        if (unlink(path))
            rmdir(path);
    }
    return rmdir(root);
}

static const char *below(const char *name)
{
    return skn_arena_printf(mem, "%s/%s", root, name).p;
}

static void put(const char *name, skn_str text)
{
    FILE *f = fopen(below(name), "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
}

static skein_rc read_item(const char *path, const char *item, skein_file_parts *out,
                          skein_error *err)
{
    skn_str         items[] = {skn_str_of(item)};
    skein_file_spec spec = {.path = skn_str_of(path), .items = items, .item_count = 1};

    return skein_files_read(out, root, &spec, 0, mem, err);
}

static skein_rc read_whole(const char *path, size_t limit, skein_file_parts *out,
                           skein_error *err)
{
    skein_file_spec spec = {.path = skn_str_of(path), .read_full = true};

    return skein_files_read(out, root, &spec, limit, mem, err);
}

/* The outline's lines for a name, as "3-7 9-9", of a source in the language of the ending. */
static void expect_lines(const char *ending, const char *source, const char *item,
                         const char *want)
{
    const skn_lang *lang = skn_lang_of(skn_arena_printf(mem, "x.%s", ending));
    skn_outline     outline;
    skn_file_item   asked;
    skn_buf         got;

    assert_non_null(lang);
    assert_int_equal(skn_file_item_parse(skn_str_of(item), &asked, NULL), SKEIN_OK);
    skn_outline_read(skn_str_of(source), lang, mem, &outline);
    skn_buf_init(&got, 1000);
    skn_buf_add(&got, SKN_STR(""));
    for (size_t i = 0; i < outline.count; i++) {
        const skn_declaration *d = &outline.at[i];

        if (skn_str_eq(d->name, asked.name) && d->type == (asked.kind == SKN_ITEM_TYPE) &&
            (!asked.owner.p || skn_str_eq(d->owner, asked.owner)))
            skn_buf_addf(&got, "%s%zu-%zu%s", got.n ? " " : "", d->first_line, d->last_line,
                         d->body ? "" : "?");
    }
    if (!skn_str_is(skn_buf_str(&got), want))
        fail_msg("\"%s\" in .%s is on lines \"%.*s\", not \"%s\"", item, ending,
                 SKN_FMT(skn_buf_str(&got)), want);
    skn_buf_release(&got);
}

static void kotlin_is_read(void **state)
{
    static const char source[] = "package a\n"                                    /* 1 */
                                 "import b.c\n"                                   /* 2 */
                                 "\n"                                             /* 3 */
                                 "/** Adds\n"                                     /* 4 */
                                 " * up. */\n"                                    /* 5 */
                                 "@Test\n"                                        /* 6 */
                                 "@Named(\"a{\")\n"                               /* 7 */
                                 "suspend fun <T> List<T>.calculateTotal(\n"      /* 8 */
                                 "    x: () -> Unit = { },\n"                     /* 9 */
                                 "): Int {\n"                                     /* 10 */
                                 "    val s = \"} ${if (x) \"{\" else \"}\"}\"\n" /* 11 */
                                 "    val c = '}' // }\n"                         /* 12 */
                                 "    /* } /* } */ } */\n"                        /* 13 */
                                 "    return \"\"\" } \" \"\"\".length\n"         /* 14 */
                                 "}\n"                                            /* 15 */
                                 "fun short() = 1\n"                              /* 16 */
                                 "fun long(): Int =\n"                            /* 17 */
                                 "    listOf(1)\n"                                /* 18 */
                                 "        .first()\n"                             /* 19 */
                                 "data class Point(val x: Int,\n"                 /* 20 */
                                 "                 val y: Int)\n"                 /* 21 */
                                 "\n"                                             /* 22 */
                                 "// the service\n"                               /* 23 */
                                 "open class UserService(\n"                      /* 24 */
                                 "    val db: Db\n"                               /* 25 */
                                 ") : Base(db) {\n"                               /* 26 */
                                 "    fun save() { db.run { it } }\n"             /* 27 */
                                 "    companion object {\n"                       /* 28 */
                                 "        fun make() = UserService(Db())\n"       /* 29 */
                                 "    }\n"                                        /* 30 */
                                 "}\n"                                            /* 31 */
                                 "fun interface Op { fun save() }\n";             /* 32 */

    (void)state;
    expect_lines("kt", source, "fun calculateTotal", "4-15");
    expect_lines("kt", source, "fun List.calculateTotal", "");
    expect_lines("kt", source, "fun short", "16-16");
    expect_lines("kt", source, "fun long", "17-19");
    expect_lines("kt", source, "class Point", "20-21");
    expect_lines("kt", source, "class UserService", "23-31");
    expect_lines("kt", source, "fun save", "27-27 32-32");
    expect_lines("kt", source, "fun UserService.save", "27-27");
    expect_lines("kt", source, "fun make", "29-29");
    expect_lines("kt", source, "interface Op", "32-32");
    expect_lines("kt", source, "fun Point", "");
}

static void c_is_read(void **state)
{
    static const char source[] = "#include <a.h>\n"                                 /* 1 */
                                 "#define OPEN {\n"                                 /* 2 */
                                 "static int add(int a, int b);\n"                  /* 3 */
                                 "typedef struct pair {\n"                          /* 4 */
                                 "    int (*cb)(void);\n"                           /* 5 */
                                 "    static int (*two)(void);\n"                   /* 6 */
                                 "} pair_of;\n"                                     /* 7 */
                                 "typedef struct {\n"                               /* 8 */
                                 "    int x;\n"                                     /* 9 */
                                 "} nameless;\n"                                    /* 10 */
                                 "struct pair all[] = {{0}, {0}};\n"                /* 11 */
                                 "/* Adds. */\n"                                    /* 12 */
                                 "__attribute__((noinline)) static int\n"           /* 13 */
                                 "add(int a, int b)\n"                              /* 14 */
                                 "{\n"                                              /* 15 */
                                 "#ifdef X\n"                                       /* 16 */
                                 "    if (a) {\n"                                   /* 17 */
                                 "#else\n"                                          /* 18 */
                                 "    if (b) {\n"                                   /* 19 */
                                 "#endif\n"                                         /* 20 */
                                 "        list_for_each(x) { puts(\"}\\\"{\"); }\n" /* 21 */
                                 "    }\n"                                          /* 22 */
                                 "    return '}' + '\\'';\n"                        /* 23 */
                                 "}\n"                                              /* 24 */
                                 "struct pair *make(void) { return 0; }\n"          /* 25 */
                                 "enum color { RED, BLUE };\n"                      /* 26 */
                                 "#if A\n"                                          /* 27 */
                                 "int one(void) { return 1; }\n"                    /* 28 */
                                 "#else\n"                                          /* 29 */
                                 "int one(void) { return 2; }\n"                    /* 30 */
                                 "#endif\n"                                         /* 31 */
                                 "int last(void)\n"                                 /* 32 */
                                 "{ return 1'000; }";                               /* 33 */

    (void)state;
    expect_lines("c", source, "fun add", "3-3? 12-24");
    expect_lines("c", source, "struct pair", "4-7");
    expect_lines("c", source, "struct pair_of", "4-7");
    expect_lines("h", source, "struct nameless", "8-10");
    expect_lines("c", source, "fun int", "");
    expect_lines("c", source, "fun list_for_each", "");
    expect_lines("c", source, "fun make", "25-25");
    expect_lines("c", source, "enum color", "26-26");
    expect_lines("c", source, "fun one", "28-28 30-30");
    expect_lines("c", source, "fun last", "32-33");
}

static void cpp_is_read(void **state)
{
    static const char source[] = "namespace a {\n"                                    /* 1 */
                                 "template <class T> class Box : public B<T> {\n"     /* 2 */
                                 "public:\n"                                          /* 3 */
                                 "    Box(int a) : x(a), y(a) { }\n"                  /* 4 */
                                 "    void put(T t) const;\n"                         /* 5 */
                                 "};\n"                                               /* 6 */
                                 "auto s = R\"x( } )\" )x\";\n"                       /* 7 */
                                 "template <class T> void Box<T>::put(T t) const {\n" /* 8 */
                                 "}\n"                                                /* 9 */
                                 "Store::~Store() { }\n"                              /* 10 */
                                 "}\n"                                                /* 11 */
                                 "int Store::put() {\n"                               /* 12 */
                                 "}\n";                                               /* 13 */

    (void)state;
    expect_lines("cpp", source, "class Box", "2-6");
    expect_lines("cpp", source, "fun Box", "4-4");
    expect_lines("cpp", source, "fun put", "5-5? 8-9 12-13");
    expect_lines("cpp", source, "fun Store::put", "12-13");
    expect_lines("cpp", source, "fun Store::~Store", "10-10");
    expect_lines("cpp", source, "namespace a", "1-11");
}

static void java_and_csharp_are_read(void **state)
{
    static const char java[] =
        "package a;\n"                                              /* 1 */
        "@Entity(x = \"}\")\n"                                      /* 2 */
        "public class Store<T> implements A, B {\n"                 /* 3 */
        "    private int n = f(1);\n"                               /* 4 */
        "    Store(int n) { this.n = n; }\n"                        /* 5 */
        "    /** Doc. */\n"                                         /* 6 */
        "    @Override\n"                                           /* 7 */
        "    public <U> int total(U u) throws E\n"                  /* 8 */
        "    {\n"                                                   /* 9 */
        "        if (n > 0) { go(() -> { }); }\n"                   /* 10 */
        "        return new A() { int x() { return 1; } }.x();\n"   /* 11 */
        "    }\n"                                                   /* 12 */
        "    abstract int later();\n"                               /* 13 */
        "}\n"                                                       /* 14 */
        "record P(int x) { }\n";                                    /* 15 */
    static const char csharp[] = "namespace N {\n"                  /* 1 */
                                 "  [Serializable]\n"               /* 2 */
                                 "  public class Store {\n"         /* 3 */
                                 "    string p = @\"c:\\\";\n"      /* 4 */
                                 "    public int X { get; set; }\n" /* 5 */
                                 "    #region R\n"                  /* 6 */
                                 "    public int Total() => 1;\n"   /* 7 */
                                 "    int Sum(int a)\n"             /* 8 */
                                 "    {\n"                          /* 9 */
                                 "    }\n"                          /* 10 */
                                 "  }\n"                            /* 11 */
                                 "}\n";                             /* 12 */

    (void)state;
    expect_lines("java", java, "class Store", "2-14");
    expect_lines("java", java, "fun Store", "5-5");
    expect_lines("java", java, "fun total", "6-12");
    expect_lines("java", java, "fun later", "13-13");
    expect_lines("java", java, "fun f", "");
    expect_lines("java", java, "record P", "15-15");
    expect_lines("cs", csharp, "class Store", "2-11");
    expect_lines("cs", csharp, "fun Total", "7-7");
    expect_lines("cs", csharp, "fun Store.Sum", "8-10");
}

static void javascript_and_typescript_are_read(void **state)
{
    static const char js[] = "import x from 'y'\n"                         /* 1 */
                             "const re = /[/\"'{]/g, half = 4 / 2\n"       /* 2 */
                             "const t = `a ${b({c: `}`})} {`\n"            /* 3 */
                             "// adds\n"                                   /* 4 */
                             "export async function total(a, b) {\n"       /* 5 */
                             "  if (a) { go() } else if (b) { go() }\n"    /* 6 */
                             "  for (const x of y) { }\n"                  /* 7 */
                             "  return a.map((q) => { return q })\n"       /* 8 */
                             "}\n"                                         /* 9 */
                             "const add = async (a) => {\n"                /* 10 */
                             "  return a }\n"                              /* 11 */
                             "const inc = a => a + 1\n"                    /* 12 */
                             "class Store extends Base {\n"                /* 13 */
                             "  #secret() { }\n"                           /* 14 */
                             "  static async save(x) {\n"                  /* 15 */
                             "  }\n"                                       /* 16 */
                             "  handle = (e) => {\n"                       /* 17 */
                             "  }\n"                                       /* 18 */
                             "}\n"                                         /* 19 */
                             "module.exports = {\n"                        /* 20 */
                             "  one() { return 1 },\n"                     /* 21 */
                             "  two: function () { return 2 },\n"          /* 22 */
                             "  three: { four() { } },\n"                  /* 23 */
                             "  five() { }\n"                              /* 24 */
                             "}\n"                                         /* 25 */
                             "go()\n"                                      /* 26 */
                             "{ }\n";                                      /* 27 */
    static const char ts[] = "@Component({\n"                              /* 1 */
                             "  selector: 'x',\n"                          /* 2 */
                             "})\n"                                        /* 3 */
                             "export class View implements A, B {\n"       /* 4 */
                             "  load(x: number): { a: string } {\n"        /* 5 */
                             "    return { a: '' };\n"                     /* 6 */
                             "  }\n"                                       /* 7 */
                             "  wait: Fn = async (): Promise<void> => {\n" /* 8 */
                             "  };\n"                                      /* 9 */
                             "}\n"                                         /* 10 */
                             "interface Shape {\n"                         /* 11 */
                             "  area(): number;\n"                         /* 12 */
                             "}\n"                                         /* 13 */
                             "type Id = string | number;\n"                /* 14 */
                             "function pick<T>(x: T): T { return x }\n";   /* 15 */

    (void)state;
    expect_lines("js", js, "function total", "4-9");
    expect_lines("js", js, "function add", "10-11");
    expect_lines("js", js, "function inc", "12-12");
    expect_lines("js", js, "class Store", "13-19");
    expect_lines("js", js, "fun secret", "14-14");
    expect_lines("js", js, "fun Store.save", "15-16");
    expect_lines("js", js, "fun handle", "17-18");
    expect_lines("js", js, "fun one", "21-21");
    expect_lines("js", js, "fun two", "22-22");
    expect_lines("js", js, "fun four", "23-23");
    expect_lines("js", js, "fun five", "24-24");
    expect_lines("js", js, "fun go", "");
    expect_lines("js", js, "fun if", "");
    expect_lines("ts", ts, "class View", "1-10");
    expect_lines("ts", ts, "fun View.load", "5-7");
    expect_lines("ts", ts, "fun wait", "8-9");
    expect_lines("ts", ts, "interface Shape", "11-13");
    expect_lines("ts", ts, "type Id", "14-14");
    expect_lines("ts", ts, "function pick", "15-15");
}

static void go_and_rust_are_read(void **state)
{
    static const char go[] = "package a\n"                                  /* 1 */
                             "\n"                                           /* 2 */
                             "// Store keeps.\n"                            /* 3 */
                             "type Store struct {\n"                        /* 4 */
                             "\tn int `json:\"}\"`\n"                       /* 5 */
                             "}\n"                                          /* 6 */
                             "type ID int\n"                                /* 7 */
                             "func (s *Store) Total() (int, error) {\n"     /* 8 */
                             "\tf := func(a int) int { return a }\n"        /* 9 */
                             "\treturn f('}'), nil\n"                       /* 10 */
                             "}\n"                                          /* 11 */
                             "func Max[T any](a T) T { return a }\n";       /* 12 */
    static const char rust[] = "use a::b;\n"                                /* 1 */
                               "/// Doc.\n"                                 /* 2 */
                               "#[derive(Debug)]\n"                         /* 3 */
                               "pub struct Store<'a> { s: &'a str }\n"      /* 4 */
                               "struct Unit;\n"                             /* 5 */
                               "impl<'a> Store<'a> {\n"                     /* 6 */
                               "    pub(crate) fn total(&self) -> char {\n" /* 7 */
                               "        let x = r#\" } \"# ; let y = \"\n"  /* 8 */
                               "        } \"; '}'\n"                        /* 9 */
                               "    }\n"                                    /* 10 */
                               "}\n"                                        /* 11 */
                               "impl fmt::Display for Unit {\n"             /* 12 */
                               "    fn total(&self) {}\n"                   /* 13 */
                               "}\n";                                       /* 14 */

    (void)state;
    expect_lines("go", go, "type Store", "3-6");
    expect_lines("go", go, "type ID", "7-7");
    expect_lines("go", go, "func Total", "8-11");
    expect_lines("go", go, "func int", "");
    expect_lines("go", go, "func Max", "12-12");
    expect_lines("rs", rust, "struct Store", "2-4");
    expect_lines("rs", rust, "struct Unit", "5-5");
    expect_lines("rs", rust, "fn total", "7-10 13-13");
    expect_lines("rs", rust, "fn Store::total", "7-10");
    expect_lines("rs", rust, "fn Unit::total", "13-13");
}

static void php_and_swift_are_read(void **state)
{
    static const char php[] = "<p>don't { </p>\n"                              /* 1 */
                              "<?php\n"                                        /* 2 */
                              "# note {\n"                                     /* 3 */
                              "#[Attr]\n"                                      /* 4 */
                              "final class Store {\n"                          /* 5 */
                              "  public function &total(int $a): int {\n"      /* 6 */
                              "    ?> { it's <?php\n"                          /* 7 */
                              "    return $f = function () { return '}'; };\n" /* 8 */
                              "  }\n"                                          /* 9 */
                              "}\n";                                           /* 10 */
    static const char swift[] =
        "import A\n"                                               /* 1 */
        "/// Doc\n"                                                /* 2 */
        "@objc\n"                                                  /* 3 */
        "public class func total<T>(_ x: T) -> Int where T: A {\n" /* 4 */
        "    let s = \"\"\"\n"                                     /* 5 */
        "    } \"\n"                                               /* 6 */
        "    \"\"\"\n"                                             /* 7 */
        "    return 1\n"                                           /* 8 */
        "}\n"                                                      /* 9 */
        "extension Store: P {\n"                                   /* 10 */
        "    func save()\n"                                        /* 11 */
        "    {\n"                                                  /* 12 */
        "    }\n"                                                  /* 13 */
        "}\n"                                                      /* 14 */
        "protocol P {\n"                                           /* 15 */
        "    func save()\n"                                        /* 16 */
        "    func load()\n"                                        /* 17 */
        "}\n";                                                     /* 18 */

    (void)state;
    expect_lines("php", php, "class Store", "3-10");
    expect_lines("php", php, "function total", "6-9");
    expect_lines("swift", swift, "func total", "2-9");
    expect_lines("swift", swift, "func Store.save", "11-13");
    expect_lines("swift", swift, "func P.save", "16-16");
    expect_lines("swift", swift, "protocol P", "15-18");
}

static void python_is_read(void **state)
{
    static const char source[] = "import a\n"                             /* 1 */
                                 "\n"                                     /* 2 */
                                 "# adds\n"                               /* 3 */
                                 "@cached\n"                              /* 4 */
                                 "@named(\n"                              /* 5 */
                                 "'x')\n"                                 /* 6 */
                                 "async def total(a,\n"                   /* 7 */
                                 "b):\n"                                  /* 8 */
                                 "    s = \"\"\"\n"                       /* 9 */
                                 "def fake(): (\n"                        /* 10 */
                                 "\"\"\"\n"                               /* 11 */
                                 "\n"                                     /* 12 */
                                 "# left of it\n"                         /* 13 */
                                 "    def inner(): return '\"\"\"' # (\n" /* 14 */
                                 "    x = 1 + \\\n"                       /* 15 */
                                 "2\n"                                    /* 16 */
                                 "\n"                                     /* 17 */
                                 "class Store(Base):\n"                   /* 18 */
                                 "\tdef total(self):\n"                   /* 19 */
                                 "\t\tpass\n"                             /* 20 */
                                 "\n"                                     /* 21 */
                                 "\tn = 1\n"                              /* 22 */
                                 "x = 1\n"                                /* 23 */
                                 "def last(): pass";                      /* 24 */

    (void)state;
    expect_lines("py", source, "def total", "3-16 19-20");
    expect_lines("py", source, "def Store.total", "19-20");
    expect_lines("py", source, "def inner", "13-14");
    expect_lines("py", source, "def fake", "");
    expect_lines("py", source, "class Store", "18-22");
    expect_lines("py", source, "def last", "24-24");
}

static void ruby_is_read(void **state)
{
    static const char source[] = "=begin\n"                 /* 1 */
                                 "def fake\n"               /* 2 */
                                 "=end\n"                   /* 3 */
                                 "module A\n"               /* 4 */
                                 "  # adds\n"               /* 5 */
                                 "  class Store < Base\n"   /* 6 */
                                 "    def self.total(a)\n"  /* 7 */
                                 "      if a\n"             /* 8 */
                                 "        1\n"              /* 9 */
                                 "      end\n"              /* 10 */
                                 "    end\n"                /* 11 */
                                 "    def ok? = true\n"     /* 12 */
                                 "    def none; end\n"      /* 13 */
                                 "    private def hidden\n" /* 14 */
                                 "    end\n"                /* 15 */
                                 "  end\n"                  /* 16 */
                                 "end\n";                   /* 17 */

    (void)state;
    expect_lines("rb", source, "def fake", "");
    expect_lines("rb", source, "module A", "1-17");
    expect_lines("rb", source, "class Store", "5-16");
    expect_lines("rb", source, "def Store.total", "7-11");
    expect_lines("rb", source, "def ok?", "12-12");
    expect_lines("rb", source, "def none", "13-13");
    expect_lines("rb", source, "def hidden", "14-15");
}

static void a_whole_file_is_exact(void **state)
{
    skein_file_parts parts;

    (void)state;
    put("a.txt", SKN_STR("one\r\ntwo\n"));
    assert_int_equal(read_whole("a.txt", 0, &parts, NULL), SKEIN_OK);
    assert_int_equal(parts.count, 1);
    assert_true(skn_str_is(parts.at->text, "one\r\ntwo\n"));
    assert_null(parts.at->item.p);
    assert_int_equal(parts.at->first_line, 1);
    assert_int_equal(parts.at->last_line, 2);
    put("a.txt", SKN_STR(""));
    assert_int_equal(read_whole("./a.txt", 0, &parts, NULL), SKEIN_OK);
    assert_true(skn_str_is(parts.at->text, ""));
    assert_int_equal(parts.at->first_line, 0);
    assert_int_equal(parts.at->last_line, 0);
}

static void a_range_counts_from_one_and_is_cut_at_the_end(void **state)
{
    static const struct {
        const char *item;
        skein_rc    rc;
        const char *text;
    } cases[] = {
        {"1:1", SKEIN_OK, "one"},
        {"2:3", SKEIN_OK, "two\r\nthree"},
        {" 2 : 2 ", SKEIN_OK, "two"},
        {"3:99", SKEIN_OK, "three"},
        {"4:9", SKEIN_INVALID, NULL},
        {"0:2", SKEIN_INVALID, NULL},
        {"3:2", SKEIN_INVALID, NULL},
        {"2", SKEIN_INVALID, NULL},
        {"1:x", SKEIN_INVALID, NULL},
        {"1:", SKEIN_INVALID, NULL},
        {":2", SKEIN_INVALID, NULL},
        {"-1:2", SKEIN_INVALID, NULL},
        {"1:99999999999999999999", SKEIN_INVALID, NULL},
    };
    skein_file_parts parts;
    skein_error      err;

    (void)state;
    put("a.txt", SKN_STR("one\r\ntwo\r\nthree"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(read_item("a.txt", cases[i].item, &parts, &err), cases[i].rc);
        assert_int_equal(parts.count, cases[i].text != NULL);
        if (cases[i].text)
            assert_string_equal(parts.at->text.p, cases[i].text); /* ends in NUL */
        if (cases[i].text)
            assert_true(parts.at->last_line <= 3);
    }
    assert_int_equal(read_item("a.txt", "4:9", &parts, &err), SKEIN_INVALID);
    assert_string_equal(err.message, "the lines \"4:9\" are behind the end of \"a.txt\"");
    assert_string_equal(err.hint, "The file has 3 lines.");
}

static void items_come_in_the_order_they_are_asked_for(void **state)
{
    skn_str         items[] = {SKN_STR("fun two"), SKN_STR("2:3"), SKN_STR("struct s"),
                               SKN_STR("one(int)"), SKN_STR("static function two")};
    skein_file_spec spec = {.path = SKN_STR("a.c"), .items = items, .item_count = COUNT(items)};
    skein_file_parts parts;

    (void)state;
    put("a.c", SKN_STR("int two(void);\nstruct s { int x; };\nint one(int a) { return a; }\n"
                       "int two(void) { return 2; }\n"));
    assert_int_equal(skein_files_read(&parts, root, &spec, 0, mem, NULL), SKEIN_OK);
    assert_int_equal(parts.count, 5);
    assert_true(skn_str_is(parts.at[0].text, "int two(void) { return 2; }"));
    assert_int_equal(parts.at[0].first_line, 4);
    assert_int_equal(parts.at[1].last_line, 3);
    assert_true(skn_str_is(parts.at[2].text, "struct s { int x; };"));
    assert_true(skn_str_is(parts.at[3].text, "int one(int a) { return a; }"));
    assert_true(skn_str_is(parts.at[3].item, "one(int)"));
    assert_int_equal(parts.at[4].first_line, 4);
    assert_int_equal(skein_files_read(&parts, root, &spec, 150, mem, NULL), SKEIN_LIMIT);
    assert_int_equal(parts.count, 0);
}

static void what_is_not_there_is_named(void **state)
{
    skein_file_parts parts;
    skein_error      err;

    (void)state;
    put("a.c", SKN_STR("int one(int a) { return a; }\n"));
    put("a.txt", SKN_STR("one\n"));
    assert_int_equal(read_item("a.c", "fun two", &parts, &err), SKEIN_NOT_FOUND);
    assert_string_equal(err.message, "there is no \"fun two\" in \"a.c\"");
    assert_int_equal(read_item("a.c", "class one", &parts, &err), SKEIN_NOT_FOUND);
    assert_int_equal(read_item("b.c", "fun one", &parts, &err), SKEIN_NOT_FOUND);
    assert_string_equal(err.message, "there is no file \"b.c\"");
    assert_int_equal(read_item("a.txt", "fun one", &parts, &err), SKEIN_INVALID);
    assert_int_equal(read_item("a.c", "", &parts, &err), SKEIN_INVALID);
    assert_int_equal(read_item("a.c", "what one", &parts, &err), SKEIN_INVALID);
    assert_int_equal(read_item("a.c", "\xff", &parts, &err), SKEIN_INVALID);
    assert_non_null(strstr(err.hint, "142:156"));
}

static void a_missing_item_of_a_context_file_is_named_and_the_others_are_given(void **state)
{
    skn_str items[] = {SKN_STR("fun one"), SKN_STR("fun two"), SKN_STR("9:10"), SKN_STR("1:1")};
    skein_context_file at[] = {
        {.path = SKN_STR("a.c"), .items = items, .item_count = COUNT(items)},
        {.path = SKN_STR("b.c")},
        {.path = SKN_STR("a.txt")}};
    skein_context_files files = {at, COUNT(at)};
    skein_file_parts   *parts;

    (void)state;
    put("a.c", SKN_STR("int one(int a) { return a; }\n"));
    put("a.txt", SKN_STR("text"));
    parts = skn_context_files_read(&files, root, mem);
    assert_int_equal(parts[0].count, 4);
    assert_true(skn_str_is(parts[0].at[0].text, "int one(int a) { return a; }"));
    assert_null(parts[0].at[0].note.p);
    assert_true(skn_str_is(parts[0].at[1].item, "fun two"));
    assert_true(skn_str_is(parts[0].at[1].note, "there is no \"fun two\" in \"a.c\""));
    assert_non_null(strstr(parts[0].at[2].note.p, "are behind the end of"));
    assert_true(skn_str_is(parts[0].at[3].text, "int one(int a) { return a; }"));
    assert_int_equal(parts[1].count, 1);
    assert_true(skn_str_is(parts[1].at->note, "there is no file \"b.c\""));
    assert_true(skn_str_is(parts[2].at->text, "text"));
    assert_null(parts[2].at->note.p);
}

static skn_str many_lines(size_t bytes)
{
    char *p = skn_arena_alloc(mem, bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        p[i] = "\xc3\xa9"[i % 2];
    for (size_t i = 99; i < bytes; i += 100) {
        p[i - 1] = 'x';
        p[i] = '\n';
    }
    p[bytes] = '\0';
    return (skn_str){p, bytes};
}

static void context_files_are_cut_at_line_ends_and_it_is_said(void **state)
{
    skn_str             items[] = {SKN_STR("1:2000"), SKN_STR("1:1"), SKN_STR("2:2")};
    skein_context_file  at[] = {{.path = SKN_STR("a.txt"), .items = items, .item_count = 1},
                                {.path = SKN_STR("a.txt")},
                                {.path = SKN_STR("a.txt")},
                                {.path = SKN_STR("a.txt"), .items = items, .item_count = 3},
                                {.path = SKN_STR("none")}};
    skein_context_files files = {at, COUNT(at)};
    skein_file_parts   *parts;
    skein_file_part    *cut;

    (void)state;
    put("a.txt", many_lines(300000));
    parts = skn_context_files_read(&files, root, mem);
    assert_int_equal(parts[0].at->last_line, 2000);
    assert_null(parts[0].at->note.p);
    cut = parts[1].at;
    assert_int_equal(cut->last_line, (SKN_FILES_ROOM - 199999) / 100);
    assert_int_equal(cut->text.n, cut->last_line * 100);
    assert_string_equal(cut->note.p,
                        "cut after line 621, 62100 of 300000 bytes: the files of a "
                        "conversation may give 256 kB together");
    assert_int_equal(parts[2].at->text.n, 0);
    assert_non_null(strstr(parts[2].at->note.p, "left out: the files of a conversation"));
    assert_int_equal(parts[3].count, 1);
    assert_non_null(strstr(parts[3].at->note.p, "left out with the 2 items after it"));
    assert_true(skn_str_is(parts[4].at->note, "there is no file \"none\""));
    files.count = 1;
    items[0] = SKN_STR("11:3000");
    cut = skn_context_files_read(&files, root, mem)[0].at;
    assert_int_equal(cut->first_line, 11);
    assert_int_equal(cut->last_line, 10 + SKN_FILES_ROOM / 100);
    assert_int_equal(cut->text.n, SKN_FILES_ROOM / 100 * 100 - 1);
    assert_non_null(strstr(cut->note.p, "cut after line 2631, 262100 of 299000 bytes"));
}

/* --- With a prompt -------------------------------------------------------------------------------------- */

/* Bytes of the heap in use. */
static size_t held(void)
{
#ifdef __GLIBC__
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

static const char *extracts(const char *file)
{
    return skn_arena_printf(mem, "%s.extracts/%s", root, file).p;
}

static void empty_extracts(void)
{
    DIR           *dir = opendir(extracts(""));
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        unlink(extracts(e->d_name));
    if (dir)
        closedir(dir);
    rmdir(extracts(""));
}

static void files_with_a_prompt_share_the_room_of_all(void **state)
{
    enum { MANY = 100 };
    skein_context_file  at[MANY];
    skein_context_files files = {at, MANY};
    skein_file_parts   *parts;
    skn_extract         next;
    skn_arena          *own;
    size_t              before, sum = 0;

    (void)state;
    put("a.txt", many_lines(250000));
    for (size_t i = 0; i < MANY; i++)
        at[i] = (skein_context_file){.path = SKN_STR("a.txt"),
                                     .prompt = skn_arena_printf(mem, "Prompt %zu.", i)};
    before = held();
    parts = skn_context_files_read(&files, root, mem);
    for (size_t i = 0; i < MANY; i++)
        for (size_t k = 0; k < parts[i].count; k++)
            sum += parts[i].at[k].text.n;
    assert_true(sum <= SKN_FILES_ROOM);
    assert_true(held() < before + 16 * (size_t)SKN_FILES_ROOM);
    assert_true(skn_extract_next(&files, root, mem, &next));
    assert_ptr_equal(next.file, &at[0]);
    assert_int_equal(skn_extract_keep(root, next.name, many_lines(2000000), SKN_NONE, NULL),
                     SKEIN_OK);
    assert_false(skn_extract_next(&files, root, mem, &next)); /* there is no room for it */
    before = held();
    own = skn_arena_new();
    parts = skn_context_files_read(&files, root, own);
    assert_true(parts[0].at[0].extracted);
    assert_int_equal(parts[0].at[0].text.n, SKN_FILES_ROOM / 100 * 100);
    assert_non_null(strstr(parts[0].at[0].note.p, "cut, 262100 of 2000000 bytes"));
    assert_true(held() < before + 16 * (size_t)SKN_FILES_ROOM);
    skn_arena_free(own);
    empty_extracts();
}

static void an_extract_is_for_its_owner_and_a_failed_one_waits_ten_minutes(void **state)
{
    skein_context_file  at[] = {{.path = SKN_STR("a.txt"), .prompt = SKN_STR("Names.")},
                                {.path = SKN_STR("a.c"), .prompt = SKN_STR("Names.")}};
    skein_context_files files = {at, COUNT(at)};
    struct timeval      old[2] = {{1000, 0}, {1000, 0}};
    skn_extract         next;
    skein_error         err;
    struct stat         st;

    (void)state;
    put("a.txt", SKN_STR("one\n"));
    put("a.c", SKN_STR("two\n"));
    assert_int_equal(mkdir(extracts(""), 0755), 0);
    assert_true(skn_extract_next(&files, root, mem, &next));
    assert_int_equal(skn_extract_keep(root, next.name, SKN_STR("a\xff"), SKN_NONE, &err),
                     SKEIN_INVALID);
    assert_int_equal(
        skn_extract_keep(root, next.name, many_lines(SKEIN_FILE_LIMIT + 1), SKN_NONE, &err),
        SKEIN_LIMIT);
    assert_int_equal(skn_extract_keep(root, next.name, SKN_NONE, SKN_STR("it failed"), &err),
                     SKEIN_OK);
    assert_int_equal(stat(extracts(""), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(extracts(skn_arena_printf(mem, "%s.why", next.name.p).p), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    utimes(extracts(skn_arena_printf(mem, "%s.why", next.name.p).p), old);
    assert_true(skn_extract_next(&files, root, mem, &next));
    assert_ptr_equal(next.file, &at[0]); /* long ago */
    assert_int_equal(skn_extract_keep(root, next.name, SKN_NONE, SKN_STR("it failed"), &err),
                     SKEIN_OK);
    assert_true(skn_extract_next(&files, root, mem, &next));
    assert_ptr_equal(next.file, &at[1]);
    empty_extracts();
    assert_int_equal(symlink(root, skn_arena_printf(mem, "%s.extracts", root).p), 0);
    assert_int_equal(skn_extract_keep(root, next.name, SKN_STR("x"), SKN_NONE, &err), SKEIN_IO);
    unlink(skn_arena_printf(mem, "%s.extracts", root).p);
}

static void only_regular_text_files_below_the_folder_are_read(void **state)
{
    static const struct {
        const char *path;
        skein_rc    rc;
    } cases[] = {
        {"sub/b.txt", SKEIN_OK},        {"sub//./b.txt", SKEIN_OK},
        {"in.txt", SKEIN_OK},           {"", SKEIN_INVALID},
        {"../x", SKEIN_INVALID},        {"sub/../a.txt", SKEIN_INVALID},
        {"/etc/passwd", SKEIN_INVALID}, {"out.txt", SKEIN_INVALID},
        {"up/passwd", SKEIN_INVALID},   {"sub", SKEIN_INVALID},
        {".", SKEIN_INVALID},           {"fifo", SKEIN_INVALID},
        {"loop", SKEIN_INVALID},        {"sub/none", SKEIN_NOT_FOUND},
        {"a.txt/x", SKEIN_NOT_FOUND},   {"a.txt/", SKEIN_NOT_FOUND},
        {"a\xff.txt", SKEIN_INVALID},
    };
    skein_file_parts parts;

    (void)state;
    assert_int_equal(mkdir(below("sub"), 0700), 0);
    put("a.txt", SKN_STR("a"));
    put("sub/b.txt", SKN_STR("b"));
    assert_int_equal(symlink("sub/b.txt", below("in.txt")), 0);
    assert_int_equal(symlink("/etc/passwd", below("out.txt")), 0);
    assert_int_equal(symlink("/etc", below("up")), 0);
    assert_int_equal(symlink("loop", below("loop")), 0);
    assert_int_equal(mkfifo(below("fifo"), 0600), 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        if (read_whole(cases[i].path, 0, &parts, NULL) != cases[i].rc)
            fail_msg("\"%s\" should give %d", cases[i].path, (int)cases[i].rc);
    put("a.txt", SKN_STR("a\0b"));
    assert_int_equal(read_whole("a.txt", 0, &parts, NULL), SKEIN_DATA);
    put("a.txt", SKN_STR("a\xff"));
    assert_int_equal(read_whole("a.txt", 0, &parts, NULL), SKEIN_DATA);
}

static void a_folder_whose_name_is_as_long_is_another_folder(void **state)
{
    char             own[sizeof root];
    skein_file_parts parts;

    (void)state;
    memcpy(own, root, sizeof root);
    memcpy(root, "/tmp/skein-filespec-XXXXXX", 27);
    assert_non_null(mkdtemp(root));
    assert_int_equal(symlink(skn_arena_printf(mem, "%s/a.txt", own).p, below("in.txt")), 0);
    put("in.txt", SKN_STR("yours")); /* through the link */
    put("a.txt", SKN_STR("mine"));
    assert_int_equal(read_whole("in.txt", 0, &parts, NULL), SKEIN_INVALID);
    assert_int_equal(unlink(below("in.txt")) | unlink(below("a.txt")) | rmdir(root), 0);
    memcpy(root, own, sizeof root);
}

static void sizes_have_limits(void **state)
{
    static skn_str   many[SKEIN_FILE_ITEMS_LIMIT + 1];
    skein_file_spec  spec = {.path = SKN_STR("a.txt"), .items = many};
    skein_file_parts parts;
    skein_error      err;
    char            *big = skn_arena_alloc(mem, SKEIN_FILE_LIMIT + 1);

    (void)state;
    memset(big, 'x', SKEIN_FILE_LIMIT + 1);
    put("a.txt", (skn_str){big, SKEIN_FILE_LIMIT});
    assert_int_equal(read_whole("a.txt", 0, &parts, NULL), SKEIN_OK);
    assert_int_equal(read_whole("a.txt", 1000, &parts, &err), SKEIN_LIMIT);
    put("a.txt", (skn_str){big, SKEIN_FILE_LIMIT + 1});
    assert_int_equal(read_whole("a.txt", 0, &parts, &err), SKEIN_LIMIT);
    assert_string_equal(err.message, "the file \"a.txt\" is over 4194304 bytes");
    assert_int_equal(skein_files_read(&parts, root, &spec, 0, mem, NULL), SKEIN_INVALID);
    put("a.txt", SKN_STR("x"));
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = SKN_STR("1:1");
    spec.item_count = COUNT(many);
    assert_int_equal(skein_files_read(&parts, root, &spec, 0, mem, NULL), SKEIN_LIMIT);
    spec.item_count--;
    assert_int_equal(skein_files_read(&parts, root, &spec, 0, mem, NULL), SKEIN_OK);
    assert_int_equal(parts.count, SKEIN_FILE_ITEMS_LIMIT);
    spec.read_full = true;
    assert_int_equal(skein_files_read(&parts, root, &spec, 0, mem, NULL), SKEIN_INVALID);
}

static const char *const endings[] = {"c",  "java", "cs",  "kt",    "js", "ts",
                                      "go", "rs",   "php", "swift", "py", "rb"};

static void check_outline(skn_str text, const char *ending, size_t lines)
{
    const skn_lang *lang = skn_lang_of(skn_arena_printf(mem, "x.%s", ending));
    skn_outline     outline;

    skn_outline_read(text, lang, mem, &outline);
    for (size_t i = 0; i < outline.count; i++) {
        const skn_declaration *d = &outline.at[i];

        if (d->first_line < 1 || d->first_line > d->last_line || d->last_line > lines)
            fail_msg(".%s: \"%.*s\" on lines %zu to %zu of %zu in:\n%.*s", ending,
                     SKN_FMT(d->name), d->first_line, d->last_line, lines, SKN_FMT(text));
    }
}

static uint64_t rnd(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static void broken_source_gives_lines_that_exist(void **state)
{
    static const char *const parts[] = {
        "{",        "}",       "(",        ")",         "[",     "]",    ";",      "\n",
        "\n",       " ",       "\"",       "'",         "`",     "${",   "/*",     "*/",
        "//",       "#",       "/",        "\\",        "=",     "=>",   ":",      "::",
        "@",        ",",       "<",        ">",         "~",     "fun ", "class ", "struct ",
        "typedef ", "def ",    "end\n",    "function ", "a",     "b",    "\"\"\"", "'''",
        "#if\n",    "#else\n", "#endif\n", "r#\"",      "R\"x(", "@\"",  "<?php ", "?>",
        "=begin\n", "=end\n",  "impl ",    "\xc3\xa9",
    };
    uint64_t seed = 142156;

    (void)state;
    for (int round = 0; round < 20000 / SKN_TEST_SHARE; round++) {
        skn_buf text;
        size_t  lines;

        skn_buf_init(&text, 4096);
        skn_buf_add(&text, SKN_STR(""));
        for (uint64_t i = rnd(&seed) % 60; i > 0; i--)
            skn_buf_add(&text, skn_str_of(parts[(rnd(&seed) >> 20) % COUNT(parts)]));
        lines = text.n && text.p[text.n - 1] != '\n';
        for (size_t i = 0; i < text.n; i++)
            lines += text.p[i] == '\n';
        check_outline(skn_buf_str(&text), endings[round % (int)COUNT(endings)], lines);
        skn_buf_release(&text);
        if (round % 100 == 0)
            skn_arena_reset(mem);
    }
}

/* Each text is long enough that a quadratic reader would meet the time limit of the whole program. */
static void repeated_openings_take_linear_time(void **state)
{
    static const char *const units[] = {
        "/[",    "@a\n", "fun ",      "struct a ", "{",  "(", "f({},", "`${",  "r#\"",
        "#if\n", "a=\n", "def a:\n ", "class a ",  "f(", "'", "\"\n",  "x: {", "a = b => "};
    enum { SIZE = 300 * 1000 };

    (void)state;
    for (size_t u = 0; u < COUNT(units); u++) {
        skn_buf text;

        skn_buf_init(&text, SIZE + 100);
        while (text.n < SIZE)
            skn_buf_add(&text, skn_str_of(units[u]));
        for (size_t e = 0; e < COUNT(endings); e++) {
            check_outline(skn_buf_str(&text), endings[e], text.n);
            skn_arena_reset(mem);
        }
        skn_buf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kotlin_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(c_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cpp_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(java_and_csharp_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(javascript_and_typescript_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(go_and_rust_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(php_and_swift_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(python_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ruby_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_whole_file_is_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_range_counts_from_one_and_is_cut_at_the_end, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(items_come_in_the_order_they_are_asked_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_missing_item_of_a_context_file_is_named_and_the_others_are_given, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(context_files_are_cut_at_line_ends_and_it_is_said,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_with_a_prompt_share_the_room_of_all, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            an_extract_is_for_its_owner_and_a_failed_one_waits_ten_minutes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_regular_text_files_below_the_folder_are_read,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_whose_name_is_as_long_is_another_folder,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_have_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_source_gives_lines_that_exist, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(repeated_openings_take_linear_time, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
