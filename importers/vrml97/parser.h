/* The declarations that lexer.c, values.c, parse.c and proto.c share. */
#ifndef CELLPIPE_IMPORTERS_VRML97_PARSER_H
#define CELLPIPE_IMPORTERS_VRML97_PARSER_H

#include "vrml97.h"

enum {
    WRL_DEEPEST = 1000,      /* prototypes in prototypes, and the nodes of one, by recursion: about 600 KB of stack */
    WRL_MOST_MEMBERS = 1000, /* an interface has no more, since they are searched one by one */
};

/* Names that are known in a file, or in the body of a prototype. */
struct wrl_scope {
    struct wrl_scope *outer; /* its prototypes are known here, too, but not its nodes */
    struct name_map names;   /* maps the names of nodes to their places in `named` */
    struct wrl_node **named;
    uint32_t named_count, named_room;
    struct name_map proto_names; /* their places in `protos` */
    struct wrl_proto **protos;
    uint32_t proto_count, proto_room;
    struct wrl_proto *proto; /* whose body this is; NULL: a file */
};

struct wrl_parser {
    struct wrl *wrl;
    struct wrl_file *file;
    const char *at, *end, *line_start;
    uint64_t line;
    struct wrl_scope *scope;
    uint32_t depth;   /* counts the calls of wrl_read_node around, for prototypes and files */
    uint32_t scripts; /* counts the Scripts among them, which may use what they are in */
    bool is_cut;      /* the file ends too early, and what is there is kept */
    cp_status status;
};

/* ---- lexer.c ---- */

struct place wrl_here(const struct wrl_parser *parser);
/* Returns the next character behind blanks, commas and comments; 0 at the end. */
char wrl_peek(struct wrl_parser *parser);
/* Passes over the character if it is next. */
bool wrl_accept(struct wrl_parser *parser, char character);
/* Passes over a character that must be next. after: what it follows, for the message. */
bool wrl_expect(struct wrl_parser *parser, char character, const char *after);
/* Takes a word: *size is 0 if none is next. */
const char *wrl_word(struct wrl_parser *parser, size_t *size);
/* Takes the word if it is next. */
bool wrl_accept_word(struct wrl_parser *parser, const char *word);
/* Takes a name, as a text in the arena; NULL after an error. what: it names, for the message. */
const char *wrl_name(struct wrl_parser *parser, const char *what);
/* Takes a string; NULL after an error. */
const char *wrl_string(struct wrl_parser *parser);
/* Take numbers; false after an error. */
bool wrl_double(struct wrl_parser *parser, double *number);
bool wrl_float(struct wrl_parser *parser, float *number);
bool wrl_integer(struct wrl_parser *parser, int32_t *number);
/* Passes over what is between brackets of any kind, the first of which is next. */
void wrl_skip_brackets(struct wrl_parser *parser);
/* Tells whether the file ends here too early. It is an error unless the user asked for what is there. */
bool wrl_is_cut(struct wrl_parser *parser, const char *within, uint64_t line);
/* Tells whether nothing but a part of a word is left of a file that may break off: then that is no error. */
bool wrl_breaks_off(struct wrl_parser *parser);
/* Returns up to 40 characters of what is next, for messages. */
struct wrl_shown {
    char text[44];
};
struct wrl_shown wrl_next_shown(const struct wrl_parser *parser);

/* ---- values.c ---- */

/* Reads a value, or what stands for it in a prototype: IS. name: of the field. */
void wrl_read_value(struct wrl_parser *parser, enum wrl_type type, const char *name, struct wrl_value *value);

/* ---- parse.c ---- */

/* Reads a node; NULL for the word NULL, and after an error. */
struct wrl_node *wrl_read_node(struct wrl_parser *parser);
/* Reads a ROUTE or a prototype, if one is next; with a warning, as nodes should be. */
bool wrl_read_among(struct wrl_parser *parser);
/* Reads nodes, prototypes and ROUTEs up to the end of the file, or of the prototype's body. */
void wrl_read_statements(struct wrl_parser *parser, struct wrl_node ***nodes, uint32_t *count, const char *within,
                         uint64_t line);
void wrl_free_scope(struct wrl *wrl, struct wrl_scope *scope);
/* Reports a rule that is broken, where reading can go on. */
void wrl_lenient(struct wrl_parser *parser, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- proto.c ---- */

/* Reads what follows the word PROTO or EXTERNPROTO. */
void wrl_read_proto(struct wrl_parser *parser, bool is_extern);
/* Reads "eventIn TYPE NAME" and so on up to the bracket, for an interface. False at the bracket, and after an error. */
bool wrl_read_member(struct wrl_parser *parser, struct wrl_member *member);
struct wrl_proto *wrl_find_proto(const struct wrl_parser *parser, const char *name);
/* Finds the member that a word means: its name, or that of one of its events. CP_NONE if there is none. */
uint32_t wrl_member_meant(const struct wrl_proto *proto, const char *word);
/* Returns the place of the member in the interface around that IS names; an error if there is none of the type. */
uint32_t wrl_is_member(struct wrl_parser *parser, const char *name, enum wrl_type type);
cp_status wrl_expand_in(struct wrl *wrl, struct wrl_proto *within, struct wrl_node *node, uint32_t depth);

#endif
