/* export.h: what the forms of export share: reading a conversation in slices, and writing in
 * pieces. Only files of this folder include it.
 *
 * Threads: one.  Lifetimes: what stands in skn_exporter lives until its end; a message and its
 * facts until the next slice. */
#pragma once

#include "base/hash.h"
#include "engine/engine.h"
#include "exchange/exchange.h"

typedef struct skn_exporter {
    skein_engine             *e;
    const skn_export_request *req;
    skn_sink                 *sink;
    skn_buf                   out; /* a piece not yet given to the sink */
    int64_t                   now;
    skein_mem                *mem;     /* of the whole export */
    skein_mem                *slice;   /* of the messages at hand */
    skein_mem                *named;   /* of `senders` */
    skn_map                  *senders; /* of messages seen lately, by public id */
    skein_world               world;
    skein_agents              agents;
    skein_conversations       chats;  /* those asked for */
    skein_conversation        chat;   /* the one being written */
    size_t                    number; /* of the conversation, from 1 */
    skein_version             version;
    skein_lanes               lanes; /* of delegations only */
    size_t                    bytes; /* of the text of the message at hand */
    void                     *form;  /* what the form keeps between its calls */
} skn_exporter;

/* One form: begin and end stand around all conversations, chat writes one of them. */
typedef struct skn_export_form {
    skein_rc (*begin)(skn_exporter *x, skein_error *err);
    skein_rc (*chat)(skn_exporter *x, skein_error *err);
    skein_rc (*end)(skn_exporter *x, skein_error *err);
} skn_export_form;

extern const skn_export_form skn_export_md, skn_export_html, skn_export_json, skn_export_jsonl,
    skn_export_mermaid;

/* Gives what was written so far to the sink, when it is enough for a piece. */
skein_rc skn_export_flush(skn_exporter *x, skein_error *err);

/* m has no texts if that was asked for; x->bytes is how long its text is. */
typedef skein_rc skn_export_each(void *arg, const skein_message *m,
                                 const skein_message_facts *facts, skein_error *err);
/* Hands over the messages of a lane, or of the reply thread that was asked for, in order;
 * flushes after each. Messages nobody answered are left out when that was asked for. */
skein_rc skn_export_messages(skn_exporter *x, skn_str lane, skn_export_each *each, void *arg,
                             skein_error *err);
/* The message that is shown as the one replied to: *uid is absent if there is none, *sender if it is not here. */
skein_rc skn_export_reply(skn_exporter *x, const skein_message *m, const skein_message_facts *f,
                          skn_str *uid, skn_str *sender, skein_error *err);
/* The marks of a message: " [squash]", each with `before` in front. */
void skn_export_marks(skn_exporter *x, const char *before, const skein_message *m,
                      const skein_message_facts *f);

/* The files of a message, in the memory of the messages at hand. */
skein_attachments skn_export_files(skn_exporter *x, const skein_message *m);

/* Did the scripted demo write it? Whatever shows its text says so. */
bool skn_export_scripted(skn_str model);
/* A model's name as it is shown, which says so when nothing was generated. */
skn_str skn_export_model(skn_str model);
#define SKN_EXPORT_WHEN 16
/* "2026-01-02 14:02" of a time, in UTC. */
skn_str skn_export_when(int64_t micros, char out[SKN_EXPORT_WHEN]);
/* The next line of *text, whatever ends it; false when there is none left. */
bool skn_export_line(skn_str *text, skn_str *line);
/* The heading of a conversation: its title, or what else tells it apart. */
skn_str skn_export_title(const skn_exporter *x, skein_mem *mem);
