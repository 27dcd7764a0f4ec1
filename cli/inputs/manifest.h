/* Manifests: the inputs of a batch with their contents, as lines of JSON, and what is chosen by them: shards, whole
 * cells.
 *
 *     {"balance":"size","shards":[{"size":190,"lines":1},{"size":560,"lines":2}]}
 *     {"path":"lib/arm/a.stl","name":"arm/a.stl","root":"arms","size":684,"hash":"<32>","format":"stl"}
 *     {"path":"lib/cell.wu","name":"cell.wu",...,"inputs":[{"path":"lib/arm/b.stl","size":684,"hash":"<32>"}]}
 *     {"root":"arms","name":"cell.wu","out":"cell.wu.glb","sequence":4,"state":"ok",...}
 *
 * The first line is there if the lines are in the order of shards, and then a shard reads its own ones alone: those of
 * shard 1 begin 190 bytes behind the first line here. "root" is an id that the user has given. The last
 * line is a record (record.h): what is known of the entry before it. */
#ifndef CELLPIPE_CLI_MANIFEST_H
#define CELLPIPE_CLI_MANIFEST_H

#include "../state/state.h"

enum { MOST_SHARDS = 10000 };
enum balance { BALANCE_SIZE, BALANCE_HASH };
extern const char *const balance_names[]; /* the words of enum balance in its order, then NULL */

struct shard {
    uint32_t index, count; /* 0 <= index < count; count 0: everything */
    int balance;
};
/* Reads "3/64" of --shard, or leaves the shard as it is (NULL). CP_USAGE, said. */
cp_status shard_parse(struct cli *cli, const char *shard, struct shard *result);
/* Fills shards[i] with the shard of entry i: a pure function of the paths, sizes and further inputs of all
 * (BALANCE_SIZE), or of each name alone (BALANCE_HASH). */
cp_status assign_shards(struct cli *cli, const struct entries *entries, uint32_t count, int balance, uint32_t *shards);
/* Keeps the entries of one shard. */
cp_status select_shard(struct cli *cli, struct entries *entries, struct shard shard);

/* How to read a manifest. */
struct manifest_use {
    struct shard shard;  /* leave out what is of others, if the manifest tells that; count 0: read all */
    struct state *known; /* takes the records; NULL: they are left out */
    bool is_part;        /* set: only the shard's own lines were read */
    uint32_t records;    /* set: how many there were */
};
/* Reads a manifest: entries with scans; sorted. CP_INPUT, reported, with file and line. */
cp_status manifest_read(struct cli *cli, const char *path, struct manifest_use *use, struct entries *entries);

/* Reads all files and fills the scans: cli->threads at a time. The batch handles those that cannot be read. */
cp_status manifest_scan(struct cli *cli, struct entries *entries);

/* --whole-cells: drops entries that another entry names as a further file. Of a cycle, the first by path stays.
 * Needs scans: call manifest_scan before, if there is no manifest. */
cp_status keep_whole_cells(struct cli *cli, struct entries *entries);

#endif
