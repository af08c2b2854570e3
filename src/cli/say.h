/* say.h: a request, and what is printed of its answer. The answer stays the JSON that it is.
 *
 * A text names members of a JSON value in braces: [how it is shown] MEMBER [how wide].
 *     {id}  {item.id}       as it is, without control characters
 *     {state 11}            padded; a number stands at the right
 *     {sender agent 8}      a sender's name, padded: "you" for a person
 *     {line content 60}     its first line, cut
 *     {time createdAt}      a time
 *     {id messageId}        the id of a message, as lists show it
 *     {yellow id}           in a colour, or bold or dim
 *     {count s}             the ending of a plural: nothing for 1, else "s"; of a list, by its items
 *     {size agents 3}       the number of its items
 *     {list tools}          its items, with commas between
 *     {block content 4}     its lines, each behind so many blanks
 *     {.world} {.0}         of the run itself: its world, and its first argument
 * A part in brackets is left out unless its condition holds: [title: …] the member says something (it is not null, "", 0,
 * false or an empty list), [!title: …] it does not, [mode=chat: …] it is this text, [mode!=chat: …] it is not, [.dry: …]
 * this is a dry run. Parts may stand in parts.
 * An absent member prints nothing. A value that a shell would obey is left out of commands ("skein …"), which are there to
 * be pasted.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#pragma once

#include "cli/door.h"
#include "cli/print.h"

void skn_say(skn_cli *cli, const skn_json *v, const char *text);
/* Would a shell read each of these members as a part of one word? */
bool skn_say_safe(const skn_json *v, const char *text);
/* Where the member says something: not null, "", 0, false or an empty list. */
void skn_say_if(skn_cli *cli, const skn_json *v, const char *member, const char *text);
bool skn_has(const skn_json *v, const char *member);
/* The first item whose member is this text; NULL: none. */
const skn_json *skn_list_find(const skn_json_list *list, const char *member, skn_str text);
/* As a row of a list: on a terminal broken between words. */
void skn_say_row(skn_cli *cli, const skn_json *v, const char *text);
/* A heading, and the member as a block of lines; nothing where it is absent. */
void skn_say_block(skn_cli *cli, const skn_json *v, const char *heading, const char *member);
/* skn_would, with members. */
bool skn_dry(skn_cli *cli, const skn_json *v, const char *text);
/* True where the member is this text. */
bool skn_is(const skn_json *v, const char *member, const char *text);

/* The answer as the command's own JSON. */
skein_rc skn_door_item(skn_cli *cli, const skn_json *v);
/* The same, open: members may be added before it is ended (skn_item_end). */
skn_jw *skn_item_with(skn_cli *cli, const skn_json *v);
/* Ends what skn_item_begin began, and with --json prints it, else the text about it. */
skein_rc skn_item_tell(skn_cli *cli, const char *text);
/* The same, for texts that need more than one: only ends it, as *out. */
skein_rc skn_item_read(skn_cli *cli, const skn_json **out);
/* The items of a list: with --json as they are, else each by this. */
typedef skein_rc skn_say_item(skn_cli *cli, const skn_json *v);
skein_rc         skn_say_list(skn_cli *cli, const skn_json_list *list, skn_say_item *say);
/* With --json the answer, else the text; a failure so far is passed on. */
skein_rc skn_tell(skn_cli *cli, skein_rc rc, const skn_json *v, const char *text);
/* The same with the items of a list, a row for each; `none` is said of an empty list (NULL: nothing). */
skein_rc skn_tell_list(skn_cli *cli, skein_rc rc, const skn_json_list *list, const char *row,
                       const char *none);

/* A path with members of `of` in it, encoded; "{world}" and "{chat}" are those that this run is about. */
const char *skn_path(skn_cli *cli, const skn_json *of, const char *path);
/* One answer, or every item of a list. The world and the conversation that the path names are found first. */
skein_rc skn_read(skn_cli *cli, const skn_json *of, const char *path, const skn_json **out);
skein_rc skn_read_all(skn_cli *cli, const skn_json *of, const char *path, size_t most,
                      skn_json_list *out);
/* A change; `b` is its body, or NULL. */
skein_rc skn_send(skn_cli *cli, skn_door_body *b, const char *method, const skn_json *of,
                  const char *path, const skn_json **out);

/* The body itself, for what a dry run shows instead of an answer. */
skein_rc skn_body_read(skn_door_body *b, const skn_json **out);
/* An option that was given, as a member of a body; an empty one removes what it is about. */
void skn_body_option(skn_cli *cli, skn_jw *w, const char *option, const char *member);

/* A command that changes one thing with one request. */
typedef struct skn_deed {
    const char *method, *path;
    const char *would; /* of the thing as it is: "pause {name}" */
    const char *did;   /* of the answer */
    bool        shows; /* a dry run with --json shows the thing */
} skn_deed;

/* *thing becomes what was answered, if anything was. */
skein_rc skn_do(skn_cli *cli, const skn_deed *deed, skn_door_body *b, const skn_json **thing);
