/* Exports that people and programs read. */
#include "exchange_kit.h"

#include "base/hash.h"
#include "base/json.h"

/* --- Markdown ----------------------------------------------------------------------------- */

static void markdown_has_numbered_entries_with_who_and_whom(void **state)
{
    place   p;
    room    r;
    skn_buf out;
    char    line[200];

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    export_room(&p, &r, SKN_FORMAT_MD, &out);
    assert_has(&out, "# launch: Plan the launch\nVersion v1 · 3 messages · exported "
                     "2025-11-15T13:50:02Z by skein ");
    snprintf(line, sizeof line,
             "\n1. you → lead, ada, bo  (%s, 2025-11-15 13:42)\n   Plan it.\n", r.first.uid.p);
    assert_has(&out, line);
    snprintf(line, sizeof line, "\n2. Agent: lead (reply to HUMAN)  (%s, 2025-11-15 13:42)\n",
             r.answer.uid.p);
    assert_has(&out, line);
    assert_has(&out, " · times in UTC\n");
    skn_buf_release(&out);
    place_close(&p);
}

static void nothing_said_can_look_like_an_entry(void **state)
{
    place   p;
    room    r;
    skn_buf out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    say_as(&p, r.chat.id, SKEIN_USER, "human", "a\r4. forged\rb\n\n# forged", NULL);
    export_room(&p, &r, SKN_FORMAT_MD, &out);
    assert_has(&out, "\n   2. not an entry\n");
    assert_has(&out, "\n   a\n   4. forged\n   b\n\n   # forged\n");
    assert_lacks(&out, "\n# forged");
    assert_lacks(&out, "\r");
    skn_buf_release(&out);
    place_close(&p);
}

/* What a terminal obeys is shown instead, in texts, names and titles. */
static void no_export_for_people_holds_an_escape_sequence(void **state)
{
    static const skn_format formats[] = {SKN_FORMAT_MD, SKN_FORMAT_HTML, SKN_FORMAT_MERMAID};
    static const char       nasty[] = "a\033]0;owned\007b\xc2\x9b"
                                      "31mc\x7f"
                                      "d\xe2\x80\xae"
                                      "e\xe2\x80\x8b\xf3\xa0\x81\x81";
    skein_new_message       m = {.role = SKEIN_ASSISTANT, .reply_to = {0}};
    place                   p;
    room                    r;
    skn_buf                 out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    m.sender = T("ada");
    m.content = T(nasty);
    m.thinking = T(nasty);
    m.model = T("ollama/llama");
    say(&p, r.chat.id, NULL, &m);
    say_as(&p, r.chat.id, SKEIN_USER, "human", nasty, NULL);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        export_room(&p, &r, formats[i], &out);
        assert_lacks(&out, "\033");
        assert_lacks(&out, "\007");
        assert_lacks(&out, "\x7f");
        assert_lacks(&out, "\xc2\x9b");
        assert_lacks(&out, "\xe2\x80\xae");
        assert_lacks(&out, "\xe2\x80\x8b");
        assert_lacks(&out, "\xf3\xa0\x81\x81");
        if (formats[i] == SKN_FORMAT_MD)
            assert_has(&out, "   > a\xe2\x90\x9b]0;owned\xe2\x90\x87"
                             "b\xef\xbf\xbd"
                             "31mc");
        skn_buf_release(&out);
    }
    place_close(&p);
}

/* What an agent has in memory and nobody answered is marked, and may be left out. */
static void what_nobody_answered_is_marked_and_may_be_left_out(void **state)
{
    place              p;
    room               r;
    skn_buf            out;
    skn_export_request req;
    char               line[200];

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    req = of_chat(&r, SKN_FORMAT_MD);
    export_to(&p, &req, &out);
    snprintf(
        line, sizeof line,
        "\n3. Agent: ada (message from ada) [in-memory, no reply]  (%s, 2025-11-15 13:42)\n",
        r.aside.uid.p);
    assert_has(&out, line);
    assert_has(&out, "1. you → lead, ada, bo  (");
    skn_buf_release(&out);
    req.no_memory_only = true;
    export_to(&p, &req, &out);
    assert_lacks(&out, "For your notes");
    assert_lacks(&out, "[in-memory, no reply]");
    assert_has(&out, "Plan it.");
    skn_buf_release(&out);
    place_close(&p);
}

/* Nobody may take what the demo says for a model's words. */
static void what_the_scripted_demo_wrote_says_so(void **state)
{
    static const struct {
        skn_format  format;
        const char *badge, *other;
    } forms[] = {
        {SKN_FORMAT_MD,
         ", 2025-11-15 13:42, model: demo/scripted (canned text, not generated))\n",
         ", 2025-11-15 13:42, ollama/llama)\n"},
        {SKN_FORMAT_HTML, ">model: demo/scripted (canned text, not generated)</p>",
         ">model: ollama/llama</p>"},
        {SKN_FORMAT_MERMAID, "lead (scripted): canned", "ada: meant"},
        {SKN_FORMAT_JSONL, "\"model\":\"demo/scripted\"", "\"model\":\"ollama/llama\""},
    };
    skein_new_message m = {.role = SKEIN_ASSISTANT, .created_at = INT64_C(1763214123456789)};
    place             p;
    room              r;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    m.sender = T("lead");
    m.content = T("canned");
    m.model = T("demo/scripted");
    say(&p, r.chat.id, NULL, &m);
    m.sender = T("ada");
    m.content = T("meant");
    m.model = T("ollama/llama");
    say(&p, r.chat.id, NULL, &m);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int redact = 0; redact < 2; redact++) {
            skn_export_request req = of_chat(&r, forms[i].format);
            skn_buf            out;

            if (redact && forms[i].format == SKN_FORMAT_MERMAID)
                continue; /* it has no text then */
            req.redact = redact;
            export_to(&p, &req, &out);
            assert_has(&out, forms[i].badge);
            assert_has(&out, forms[i].other);
            skn_buf_release(&out);
        }
    place_close(&p);
}

/* A link that was guessed is never shown as certain. */
static void a_guessed_reply_is_marked(void **state)
{
    static const char       lines[] = "{\"role\":\"user\",\"content\":\"old\"}\n"
                                      "{\"role\":\"assistant\",\"content\":\"older\"}\n";
    static const skn_format formats[] = {SKN_FORMAT_MD, SKN_FORMAT_HTML, SKN_FORMAT_JSONL};
    place                   p;
    skn_import_report       r;
    skein_conversations     chats;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, write_file(&p, "old.jsonl", skn_str_of(lines)), NULL, false, &r),
           p.err);
    SKN_OK(skein_conversation_list(p.e, r.world_id, p.mem, &chats, &p.err), p.err);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        skn_export_request req = {.conversation = chats.at[0].id, .format = formats[i]};
        skn_buf            out;

        export_to(&p, &req, &out);
        assert_has(&out, "its reply link was guessed from time");
        skn_buf_release(&out);
    }
    place_close(&p);
}

static void a_redacted_export_has_no_text(void **state)
{
    static const skn_format  formats[] = {SKN_FORMAT_MD, SKN_FORMAT_JSON, SKN_FORMAT_JSONL,
                                          SKN_FORMAT_MERMAID, SKN_FORMAT_HTML};
    static const char *const secrets[] = {"Plan",  "split",           "notes",       "Be brief",
                                          "hm-hm", "secret-argument", "\\\"plan\\\""};
    skein_tool_call   call = {T("call_1"), T("search"), T("{\"q\":\"secret-argument\"}")};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .sender = T("bo"), .thinking = T("hm-hm")};
    place             p;
    room              r;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    m.calls = &call;
    m.call_count = 1;
    say(&p, r.chat.id, NULL, &m);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        skn_export_request req = of_chat(&r, formats[i]);
        skn_buf            out;

        req.redact = true;
        export_to(&p, &req, &out);
        assert_has(&out, "lead");
        for (size_t k = 0; k < sizeof secrets / sizeof *secrets; k++)
            assert_lacks(&out, secrets[k]);
        skn_buf_release(&out);
    }
    place_close(&p);
}

static void delegations_are_summed_up_or_written_out(void **state)
{
    skein_new_message m = {.role = SKEIN_ASSISTANT, .sender = T("ada"), .content = T("inside")};
    place             p;
    room              r;
    skein_lane        lane;
    skn_export_request req;
    skn_buf            out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    SKN_OK(skein_lane_new(p.e, r.chat.id, T(NULL), r.answer.id, T("c1"), p.mem, &lane, &p.err),
           p.err);
    say(&p, r.chat.id, lane.key.p, &m);
    req = of_chat(&r, SKN_FORMAT_MD);
    export_to(&p, &req, &out);
    assert_has(&out, "## Delegations\n\n- main.1, running, call c1, 1 messages\n");
    assert_lacks(&out, "inside");
    skn_buf_release(&out);
    req.delegations = SKN_DELEGATIONS_FULL;
    export_to(&p, &req, &out);
    assert_has(&out, "## Delegation main.1, running, call c1, 1 messages\n\n1. Agent: ada");
    assert_has(&out, "   inside\n");
    skn_buf_release(&out);
    req.delegations = SKN_DELEGATIONS_NONE;
    export_to(&p, &req, &out);
    assert_lacks(&out, "main.1");
    skn_buf_release(&out);
    place_close(&p);
}

/* --- JSON --------------------------------------------------------------------------------- */

static const skn_json *parsed(place *p, const skn_buf *b)
{
    const skn_json *v;

    SKN_OK(skn_json_parse(&v, skn_buf_str(b), "the export", p->mem, &p->err), p->err);
    return v;
}

static void json_is_one_document_in_the_shapes_of_the_api(void **state)
{
    place           p;
    room            r;
    skn_buf         out;
    const skn_json *doc;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    export_room(&p, &r, SKN_FORMAT_JSON, &out);
    doc = parsed(&p, &out);
    assert_true(skn_str_is(skn_json_get(skn_json_get(doc, "world"), "name")->text, "launch"));
    assert_int_equal(skn_json_get(doc, "agents")->count, 3);
    assert_true(skn_str_eq(skn_json_get(skn_json_get(doc, "chat"), "id")->text, r.chat.uid));
    assert_int_equal(skn_json_get(doc, "threads")->count, 1);
    assert_int_equal(skn_json_get(doc, "messages")->count, 3);
    doc = skn_json_get(doc, "messages")->first->next;
    assert_true(skn_str_eq(skn_json_get(doc, "messageId")->text, r.answer.uid));
    assert_true(skn_str_eq(skn_json_get(doc, "replyToMessageId")->text, r.first.uid));
    skn_buf_release(&out);
    place_close(&p);
}

static void a_world_is_one_document_with_all_its_chats(void **state)
{
    place              p;
    room               r;
    skein_conversation second;
    skn_buf            out;
    skn_export_request req = {.format = SKN_FORMAT_JSON};
    const skn_json    *doc;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    SKN_OK(skein_chat_new(p.e, r.world.id, T("second"), p.mem, &second, &p.err), p.err);
    req.world = r.world.id;
    export_to(&p, &req, &out);
    doc = skn_json_get(parsed(&p, &out), "chats");
    assert_int_equal(doc->count, 2);
    assert_int_equal(skn_json_get(doc->first, "messages")->count, 3);
    assert_int_equal(skn_json_get(doc->first->next, "messages")->count, 0);
    skn_buf_release(&out);
    place_close(&p);
}

/* More than one slice, so that the seams between them show. */
static void lines_are_all_messages_once_in_order(void **state)
{
    enum { MANY = 2345 };
    skein_new_message    m[1000] = {0};
    place                p;
    room                 r;
    skn_buf              out;
    skn_str              rest, line;
    skein_append_request req = {.messages = m};
    skein_messages       stored;
    char                 want[40];
    int                  n = 0;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    req.conversation = r.chat.id;
    for (int i = 3; i < MANY; i += (int)req.count) {
        req.count = MANY - i < 1000 ? (size_t)(MANY - i) : 1000;
        for (size_t k = 0; k < req.count; k++)
            m[k].content = skn_arena_printf(p.mem, "number %d", i + (int)k);
        SKN_OK(skein_append(p.e, &req, p.mem, &stored, &p.err), p.err);
    }
    export_room(&p, &r, SKN_FORMAT_JSONL, &out);
    rest = skn_buf_str(&out);
    for (; skn_str_split(&rest, '\n', &line) && line.n; n++) {
        snprintf(want, sizeof want, "\"position\":%d,", n);
        assert_true(skn_str_find(line, skn_str_of(want)) > 0);
        snprintf(want, sizeof want, "\"content\":\"number %d\"", n);
        assert_true(n < 3 || skn_str_find(line, skn_str_of(want)) > 0);
    }
    assert_int_equal(n, MANY);
    skn_buf_release(&out);
    place_close(&p);
}

/* A chain of 100 levels; the target is 5 s. */
static void a_reply_thread_of_a_hundred_levels_is_exported_alone(void **state)
{
    place              p;
    room               r;
    skein_message      m, root;
    skn_export_request req;
    skn_buf            out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    m = root = say_as(&p, r.chat.id, SKEIN_USER, "human", "level 1", NULL);
    for (int i = 2; i <= 100; i++) {
        char text[20];

        snprintf(text, sizeof text, "level %d", i);
        m = say_as(&p, r.chat.id, SKEIN_ASSISTANT, i % 2 ? "ada" : "bo", text, m.uid.p);
    }
    assert_int_equal(m.reply_depth, 99);
    req = of_chat(&r, SKN_FORMAT_MD);
    req.root = root.id;
    export_to(&p, &req, &out);
    assert_has(&out, "\n100. Agent: bo (reply to ada)");
    assert_has(&out, "     level 100\n");
    assert_lacks(&out, "Plan it.");
    skn_buf_release(&out);
    place_close(&p);
}

/* --- Mermaid and HTML --------------------------------------------------------------------- */

static void mermaid_draws_reply_links_and_escapes_labels(void **state)
{
    place   p;
    room    r;
    skn_buf out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    say_as(&p, r.chat.id, SKEIN_USER, "human", "\"]; click x [y] {z} \n#quot; ünï",
           r.answer.uid.p);
    export_room(&p, &r, SKN_FORMAT_MERMAID, &out);
    assert_int_equal(strncmp(out.p, "flowchart TD\n", 13), 0);
    assert_has(&out, "[\"You: Plan it. 2. not an entry\"]\n");
    assert_has(&out, " --> ");
    assert_has(&out, "[\"lead: I will split #lt;b#gt;this#lt;/b#gt;.\"]\n");
    assert_has(&out, "[\"You: #quot;); click x (y) (z)  #35;quot; ünï\"]\n");
    assert_has(&out, "(\"ada: For your notes: noon.\")\n");
    skn_buf_release(&out);
    place_close(&p);
}

static void a_large_mermaid_chart_has_one_node_for_each_speaker(void **state)
{
    skein_new_message    m[400] = {0};
    place                p;
    room                 r;
    skn_buf              out;
    skein_append_request req = {.messages = m, .count = 400};
    skein_messages       stored;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    req.conversation = r.chat.id;
    for (size_t i = 0; i < 400; i++)
        m[i] = (skein_new_message){.role = SKEIN_ASSISTANT,
                                   .sender = T("bo"),
                                   .content = T("x"),
                                   .reply_to = r.first.uid};
    SKN_OK(skein_append(p.e, &req, p.mem, &stored, &p.err), p.err);
    export_room(&p, &r, SKN_FORMAT_MERMAID, &out);
    assert_has(&out, "[\"bo: 400 messages\"]\n");
    assert_has(&out, "-- \"400 replies\" -->");
    assert_true(out.n < 1000);
    skn_buf_release(&out);
    place_close(&p);
}

static void html_is_one_page_without_scripts_and_all_is_escaped(void **state)
{
    place   p;
    room    r;
    skn_buf out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    say_as(&p, r.chat.id, SKEIN_USER, "human", "<script>alert('x')</script> \"&amp;\"\x1b[1m",
           NULL);
    export_room(&p, &r, SKN_FORMAT_HTML, &out);
    assert_int_equal(strncmp(out.p, "<!DOCTYPE html>\n", 16), 0);
    assert_lacks(&out, "<script");
    assert_lacks(&out, "<b>this");
    assert_lacks(&out, "\x1b");
    assert_has(&out, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &quot;&amp;&quot;");
    assert_has(&out, "default-src 'none'");
    assert_has(&out, "prefers-color-scheme:dark");
    assert_has(&out, "replying to you</a>");
    assert_has(&out, "\">2025-11-15 13:42</time>");
    assert_has(&out, "[in-memory, no reply]");
    assert_has(&out, "</html>\n");
    skn_buf_release(&out);
    place_close(&p);
}

static void html_marks_squashes_as_markdown_does(void **state)
{
    place             p;
    room              r;
    skn_buf           out;
    skein_message_id  ids[2];
    skein_change      how = {0};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = T("both in short")};
    skein_squash      squash;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    ids[0] = say_as(&p, r.chat.id, SKEIN_USER, "human", "one", NULL).id;
    ids[1] = say_as(&p, r.chat.id, SKEIN_USER, "human", "two", NULL).id;
    export_room(&p, &r, SKN_FORMAT_HTML, &out);
    assert_lacks(&out, "[squash]");
    skn_buf_release(&out);
    how.conversation = r.chat.id;
    SKN_OK(skein_squash_messages(p.e, &how, &spec, p.mem, &squash, &p.err), p.err);
    export_room(&p, &r, SKN_FORMAT_HTML, &out);
    assert_has(&out, " · [squash] · <time");
    skn_buf_release(&out);
    place_close(&p);
}

static void html_shows_markdown_as_what_it_means(void **state)
{
    static const char text[] =
        "# Head\n\n2. one\n3. **bold** *soft* ~~gone~~ `a<b`\n\n- [x] done\n\n```c\nint "
        "<x>;\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n> said\n> before\n\n---\n\n"
        "[there](https://example.org/?a=1&amp;b=2&c=\"3\") ![seen](https://example.org/p.png)\n"
        "http://example.org/x &copy; &lt;b&gt;";
    static const char *const parts[] = {
        "<h3>Head</h3>\n",
        "<ol start=\"2\">\n<li>one</li>\n<li><strong>bold</strong> <em>soft</em> "
        "<del>gone</del> "
        "<code>a&lt;b</code></li>\n</ol>",
        "<ul><li>☑ done</li>\n</ul>",
        "<pre class=\"code\"><code>int &lt;x&gt;;\n</code></pre>",
        "<th>a</th>\n<th style=\"text-align:center\">b</th>",
        "<blockquote><p>said<br>\nbefore</p>\n</blockquote>",
        "<hr>\n",
        "<a rel=\"noopener noreferrer\" "
        "href=\"https://example.org/?a=1&amp;b=2&amp;c=&quot;3&quot;\">there</a>",
        "href=\"https://example.org/p.png\">seen</a><br>\n",
        "href=\"http://example.org/x\">http://example.org/x</a> &amp;copy; &lt;b&gt;",
    };
    place   p;
    room    r;
    skn_buf out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    say_as(&p, r.chat.id, SKEIN_USER, "human", text, NULL);
    export_room(&p, &r, SKN_FORMAT_HTML, &out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_has(&out, parts[i]);
    skn_buf_release(&out);
    place_close(&p);
}

/* Links lead nowhere but to pages and mail, and what is said stays in its own element. */
static void html_has_no_link_or_tag_that_somebody_said(void **state)
{
    static const char *const said[] = {
        "[x](javascript:alert(1))",
        "[x](JavaScript:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x](javascript&colon;alert(1))",
        "[x](\x01javascript:alert(1))",
        "[x](vbscript:x) [y](data:text/html,x) [z](file:///etc/passwd) [u](//evil) [v](#m-1)",
        "<javascript:alert(1)> <https://a.example/\"onclick=\"x>",
        "[x](https://a.example/\"onclick=\"alert(1) \"t\\\" onclick=x\")",
        "![x\" onerror=\"x](https://a.example/y\"onerror=\"z)",
        "</div></li><script>x</script><img src=x onerror=x><!-- ",
        "<b onclick=x>\n\n<div onclick=x>\n\n```\"><script>\n```\n",
        "[a]: javascript:x\n[a]\n\n[![i](javascript:x)](javascript:y)",
    };
    place   p;
    room    r;
    skn_buf out;
    int     open = 0;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        say_as(&p, r.chat.id, SKEIN_USER, "human", said[i], NULL);
    export_room(&p, &r, SKN_FORMAT_HTML, &out);
    assert_lacks(&out, "<script");
    assert_lacks(&out, "<img");
    assert_lacks(&out, "<b ");
    for (const char *at = out.p; (at = strchr(at, '<')); at++) {
        const char *end = strchr(at, '>'), *on = strstr(at, " on");

        if (at[1] != '!' && strncmp(at, "<meta ", 6) != 0 && strncmp(at, "<br>", 4) != 0)
            open += at[1] == '/' ? -1 : 1;
        assert_true(open >= 0 && end && (!on || on > end));
    }
    assert_int_equal(open, 0);
    for (const char *at = out.p; (at = strstr(at, "href=\"")); at++)
        if (strncmp(at + 6, "https://a.example/", 18) != 0 && at[6] != '#')
            fail_msg("it leads to %.40s", at + 6);
    skn_buf_release(&out);
    place_close(&p);
}

/* What would cost a browser or us too much is shown as it was typed, and soon. */
static void html_of_a_text_made_to_be_slow_comes_soon(void **state)
{
    static const char *const again[] = {">",  "- ",  "[",    "![",      "*a_",
                                        "`",  "<a",  "[a](", "|-",      "&#",
                                        "~~", "1. ", "\n> ", "[a]:b\n", "**a"};
    enum { BYTES = 200 * 1000 };
    char   *text = malloc(BYTES + 16);
    place   p;
    room    r;
    skn_buf out;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
        size_t n = 0;

        while (n < BYTES) {
            memcpy(text + n, again[i], strlen(again[i]));
            n += strlen(again[i]);
        }
        text[n] = '\0';
        say_as(&p, r.chat.id, SKEIN_USER, "human", text, NULL);
    }
    export_room(&p, &r, SKN_FORMAT_HTML, &out);
    assert_has(&out, "<pre class=\"text\" dir=\"auto\">\n&gt;&gt;&gt;&gt;");
    assert_true(out.n < (size_t)16 * BYTES * (sizeof again / sizeof *again));
    skn_buf_release(&out);
    free(text);
    place_close(&p);
}

/* Every tag is closed where it must be, nothing is fetched, and no anchor is there twice: a branch
 * shares its messages with the chat it comes from. */
static void a_page_of_several_chats_is_sound(void **state)
{
    static const char *const outside[] = {"http://", "https://", " src=",   "url(", "@import",
                                          "<link",   "<script",  "<iframe", "<img", "<base"};
    place                    p;
    room                     r;
    skein_conversation       branch;
    skein_change             how;
    skn_export_request       req = {.format = SKN_FORMAT_HTML};
    skn_buf                  out;
    skn_map                 *ids;
    int                      open = 0, found = 0;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    how = (skein_change){.conversation = r.chat.id};
    SKN_OK(skein_branch(p.e, &how, 0, 2, T("other"), p.mem, &branch, &p.err), p.err);
    req.world = r.world.id;
    export_to(&p, &req, &out);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_lacks(&out, outside[i]);
    ids = skn_map_new(p.mem);
    for (const char *at = out.p; (at = strchr(at, '<')); at++) {
        const char *id = strstr(at, " id=\""), *end = strchr(at, '>');

        assert_non_null(end);
        if (at[1] != '!' && strncmp(at, "<meta ", 6) != 0 && strncmp(at, "<br>", 4) != 0)
            open += at[1] == '/' ? -1 : 1;
        assert_true(open >= 0);
        if (!id || id > end)
            continue;
        found++;
        id += 5;
        if (skn_map_get(ids, (skn_str){id, strcspn(id, "\"")}))
            fail_msg("the anchor %.30s is there twice", id);
        *skn_map_slot(ids, (skn_str){id, strcspn(id, "\"")}) = ids;
    }
    assert_int_equal(open, 0);
    assert_int_equal(found, 5);
    for (const char *at = out.p; (at = strstr(at, "href=\"#")); at++)
        assert_non_null(skn_map_get(ids, (skn_str){at + 7, strcspn(at + 7, "\"")}));
    skn_buf_release(&out);
    place_close(&p);
}

static void an_older_version_and_an_erased_message_are_exported(void **state)
{
    place              p;
    room               r;
    skein_change       how;
    skein_version      v;
    skn_export_request req;
    skn_buf            out;
    int64_t            erased;

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    how = (skein_change){.conversation = r.chat.id};
    SKN_OK(skein_amend(p.e, &how, r.first.id, T("Plan it well."), p.mem, &v, NULL, &p.err),
           p.err);
    SKN_OK(skein_purge(p.e, &how, (skein_message_ids){&r.aside.id, 1}, &erased, &p.err), p.err);
    req = of_chat(&r, SKN_FORMAT_MD);
    export_to(&p, &req, &out);
    assert_has(&out, "Version v2 · 3 messages");
    assert_has(&out, "Plan it well.");
    assert_has(&out, "   [erased]\n");
    assert_has(&out, "Agent: lead (reply to HUMAN)");
    skn_buf_release(&out);
    req.version = 1;
    export_to(&p, &req, &out);
    assert_has(&out, "Version v1 · 3 messages");
    assert_lacks(&out, "Plan it well.");
    skn_buf_release(&out);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(markdown_has_numbered_entries_with_who_and_whom),
        SKN_PLACE_SQLITE(nothing_said_can_look_like_an_entry),
        SKN_PLACE_SQLITE(no_export_for_people_holds_an_escape_sequence),
        SKN_PLACE_BOTH(what_nobody_answered_is_marked_and_may_be_left_out),
        SKN_PLACE_SQLITE(what_the_scripted_demo_wrote_says_so),
        SKN_PLACE_SQLITE(a_guessed_reply_is_marked),
        SKN_PLACE_SQLITE(a_redacted_export_has_no_text),
        SKN_PLACE_BOTH(delegations_are_summed_up_or_written_out),
        SKN_PLACE_BOTH(json_is_one_document_in_the_shapes_of_the_api),
        SKN_PLACE_SQLITE(a_world_is_one_document_with_all_its_chats),
        SKN_PLACE_BOTH(lines_are_all_messages_once_in_order),
        SKN_PLACE_BOTH(a_reply_thread_of_a_hundred_levels_is_exported_alone),
        SKN_PLACE_BOTH(mermaid_draws_reply_links_and_escapes_labels),
        SKN_PLACE_SQLITE(html_marks_squashes_as_markdown_does),
        SKN_PLACE_SQLITE(html_shows_markdown_as_what_it_means),
        SKN_PLACE_SQLITE(html_has_no_link_or_tag_that_somebody_said),
        SKN_PLACE_SQLITE(html_of_a_text_made_to_be_slow_comes_soon),
        SKN_PLACE_SQLITE(a_large_mermaid_chart_has_one_node_for_each_speaker),
        SKN_PLACE_BOTH(html_is_one_page_without_scripts_and_all_is_escaped),
        SKN_PLACE_SQLITE(a_page_of_several_chats_is_sound),
        SKN_PLACE_BOTH(an_older_version_and_an_erased_message_are_exported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
