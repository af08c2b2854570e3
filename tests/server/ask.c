/* ask.c: asks a model one question through the provider, and prints what comes of it as lines of JSON:
 * the tests hold it against model servers that nobody here wrote.
 *
 *   ask --kind=openai --base-url=URL --model=NAME [--key=KEY] [--need-key] [--retries=N]
 *       [--backoff=MS] [--stall=MS] [--system=TEXT] [--tool=NAME]... [--result=TEXT] [--times=N] [--raw]
 *       [--most=TOKENS] [--cancel-after=DELTAS] [--models] QUESTION
 *
 * --result puts a call of the first tool and its result behind the question. --times asks so many at once
 * and prints only how they ended. */
#include "base/arena.h"
#include "base/json_write.h"
#include "provider/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOOLS = 8 };

typedef struct asker {
    skn_loop        *loop;
    skn_net         *net;
    skn_provider    *provider;
    skn_wire_options options;
    skn_ask          what;
    skn_tool_offer   tools[MOST_TOOLS];
    skn_str          result;
    int64_t          times, left, cancel_after, deltas, bytes;
    bool             raw, models;
    skn_asking      *asking;
} asker;

static void begin_line(skn_jw *w, skn_buf *out, const char *event)
{
    skn_buf_init(out, 64 << 20);
    skn_jw_init(w, out);
    skn_jw_object(w);
    skn_jw_kstr(w, "event", skn_str_of(event));
}

static void end_line(skn_jw *w, skn_buf *out)
{
    skn_jw_object_end(w);
    printf("%s\n", out->p);
    fflush(stdout);
    skn_buf_release(out);
}

static void sent(void *arg, const skn_str *pieces, size_t count)
{
    const asker *a = arg;
    skn_buf      out;
    skn_jw       w;

    if (!a->raw)
        return;
    begin_line(&w, &out, "sent");
    skn_jw_key(&w, "pieces");
    skn_jw_array(&w);
    for (size_t i = 0; i < count; i++)
        skn_jw_str(&w, pieces[i]);
    skn_jw_array_end(&w);
    end_line(&w, &out);
}

static void received(void *arg, skn_str bytes)
{
    ((asker *)arg)->bytes += (int64_t)bytes.n;
}

static void delta(void *arg, skn_part part, skn_str text)
{
    asker  *a = arg;
    skn_buf out;
    skn_jw  w;

    if (part == SKN_PART_ARGS)
        return;
    a->deltas++;
    if (a->times == 1) {
        begin_line(&w, &out, part == SKN_PART_TEXT ? "text" : "thinking");
        skn_jw_kstr(&w, "text", text);
        end_line(&w, &out);
    }
    if (a->deltas == a->cancel_after) {
        skn_asking_cancel(a->asking);
        printf("{\"event\":\"cancelled\"}\n");
        skn_loop_stop(a->loop);
    }
}

static void call(void *arg, const skein_tool_call *c)
{
    const asker *a = arg;
    skn_buf      out;
    skn_jw       w;

    if (a->times != 1)
        return;
    begin_line(&w, &out, "call");
    skn_jw_kstr(&w, "id", c->call_id);
    skn_jw_kstr(&w, "name", c->tool_name);
    skn_jw_kstr(&w, "args", c->args);
    end_line(&w, &out);
}

static void done(void *arg, const skn_answer *answer)
{
    asker  *a = arg;
    skn_buf out;
    skn_jw  w;

    begin_line(&w, &out, "done");
    skn_jw_kstr(&w, "state", skn_str_of(skn_ask_state_word(answer->state)));
    skn_jw_kint(&w, "status", answer->status);
    skn_jw_kstr(&w, "finish", skn_str_of(answer->finish));
    skn_jw_kint(&w, "tries", answer->tries);
    skn_jw_kbool(&w, "retryable", answer->retryable);
    skn_jw_kint(&w, "retryAfterMs", answer->retry_after_ms);
    skn_jw_kint(&w, "tokensIn", answer->tokens_in);
    skn_jw_kint(&w, "tokensOut", answer->tokens_out);
    skn_jw_kbool(&w, "estimated", answer->estimated);
    skn_jw_kint(&w, "firstMs", answer->first_ms);
    skn_jw_kint(&w, "bytes", a->bytes);
    skn_jw_kstr(&w, "message", skn_str_of(answer->error.message));
    skn_jw_kstr(&w, "hint", skn_str_of(answer->error.hint));
    end_line(&w, &out);
    if (--a->left == 0)
        skn_loop_stop(a->loop);
}

static void listed(void *arg, const skn_models *models)
{
    asker  *a = arg;
    skn_buf out;
    skn_jw  w;

    begin_line(&w, &out, "models");
    skn_jw_kstr(&w, "state", skn_str_of(skn_ask_state_word(models->state)));
    skn_jw_kstr(&w, "message", skn_str_of(models->error.message));
    skn_jw_kstr(&w, "version", models->version);
    skn_jw_key(&w, "models");
    skn_jw_array(&w);
    for (size_t i = 0; i < models->count; i++)
        skn_jw_str(&w, models->at[i].name);
    skn_jw_array_end(&w);
    end_line(&w, &out);
    skn_loop_stop(a->loop);
}

/* --- Reading the command line ---------------------------------------------------------------------- */

static bool option(const char *word, const char *name, const char **value)
{
    size_t n = strlen(name);

    if (strncmp(word, name, n) != 0 || word[n] != '=')
        return false;
    *value = word + n + 1;
    return true;
}

static int64_t number(const char *text)
{
    int64_t n = 0;

    if (!skn_str_int(skn_str_of(text), &n)) {
        fprintf(stderr, "ask: \"%s\" is not a number\n", text);
        exit(2);
    }
    return n;
}

static bool read_limit(asker *a, const char *word)
{
    const char *v;

    if (option(word, "--retries", &v))
        a->options.retries = (int)number(v);
    else if (option(word, "--backoff", &v))
        a->options.backoff_ms = number(v);
    else if (option(word, "--stall", &v))
        a->options.stall_ms = number(v);
    else if (option(word, "--at-once", &v))
        a->options.at_once = (int)number(v);
    else if (option(word, "--times", &v))
        a->times = number(v);
    else if (option(word, "--most", &v))
        a->what.most_tokens = number(v);
    else if (option(word, "--cancel-after", &v))
        a->cancel_after = number(v);
    else
        return false;
    return true;
}

static bool read_text(asker *a, const char *word)
{
    const char *v;

    if (option(word, "--kind", &v))
        return skn_wire_kind_from(skn_str_of(v), &a->options.kind);
    if (option(word, "--base-url", &v))
        a->options.base_url = skn_str_of(v);
    else if (option(word, "--model", &v))
        a->what.model = skn_str_of(v);
    else if (option(word, "--key", &v))
        a->options.key = skn_str_of(v);
    else if (option(word, "--system", &v))
        a->what.system_prompt = skn_str_of(v);
    else if (option(word, "--result", &v))
        a->result = skn_str_of(v);
    else if (option(word, "--tool", &v) && a->what.tool_count < MOST_TOOLS)
        a->tools[a->what.tool_count++] = (skn_tool_offer){
            .name = skn_str_of(v),
            .description = SKN_STR("a tool"),
            .schema = SKN_STR("{\"type\":\"object\",\"properties\":{\"city\":{\"type\":"
                              "\"string\"}}}")};
    else
        return false;
    return true;
}

static bool read_word(asker *a, const char *word)
{
    if (!strcmp(word, "--need-key"))
        a->options.key_needed = true;
    else if (!strcmp(word, "--raw"))
        a->raw = true;
    else if (!strcmp(word, "--models"))
        a->models = true;
    else if (word[0] != '-')
        a->what.said = skn_str_of(word);
    else
        return read_limit(a, word) || read_text(a, word);
    return true;
}

/* --- Asking ------------------------------------------------------------------------------------------ */

static void ask_all(asker *a)
{
    skein_tool_call      given = {SKN_STR("call_1"), a->tools[0].name,
                                  SKN_STR("{\"city\":\"Bern\"}")};
    skein_prompt_message at[] = {
        {.role = SKEIN_USER, .text = a->what.said},
        {.role = SKEIN_ASSISTANT, .calls = &given, .call_count = 1},
        {.role = SKEIN_TOOL,
         .text = a->result,
         .tool_call_id = SKN_STR("call_1"),
         .tool_name = a->tools[0].name},
    };
    skein_context   context = {.at = at, .count = a->result.p ? 3 : 1};
    skn_answer_sink sink = {sent, received, delta, call, NULL, done, a};

    a->what.context = &context;
    a->what.tools = a->tools;
    a->left = a->times;
    for (int64_t i = 0; i < a->times; i++)
        a->asking = skn_ask_model(a->provider, &a->what, &sink);
}

int main(int argc, char **argv)
{
    asker a = {.times = 1,
               .what = {.temperature = -1, .model = SKN_STR("m"), .id = SKN_STR("m_1")}};

    a.options.name = "test";
    a.options.retries = -1;
    for (int i = 1; i < argc; i++)
        if (!read_word(&a, argv[i])) {
            fprintf(stderr, "ask: \"%s\" is not known\n", argv[i]);
            return 2;
        }
    a.loop = skn_loop_new();
    a.net = skn_net_new(a.loop);
    a.provider = skn_wire_new(a.loop, a.net, &a.options);
    if (a.models)
        skn_wire_models(a.provider, 5000, listed, &a);
    else
        ask_all(&a);
    skn_loop_run(a.loop);
    skn_provider_free(a.provider);
    skn_net_free(a.net);
    skn_loop_free(a.loop);
    return 0;
}
