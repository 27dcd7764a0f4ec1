/* Setups of collisions that cells and devices name.
 *
 * CollisionSetup lists pairs by names. ProximitySetup has rules in order, each with two patterns: the last rule that
 * fits a pair counts. Rules are for frames that have a model for collisions. Without any setup, RobWork leaves out a
 * frame and its parent, and a frame and those that hang on its grandparent. */
#include "rwxml.h"

#include "../collision_setup/collision_setup.h"
#include "base/text/text.h"
#include "base/text/xml.h"
#include "collide/list/list.h"

static const struct xml_codes codes = XML_CODES("rwxml");

/* A frame that rules concern, and whether a pattern fits it. */
struct candidate {
    uint32_t row;
    bool fits[2];
};

struct rule {
    bool includes;
    uint32_t pairs_before; /* the pairs that setups before it have excluded */
    const char *evidence;
};

struct setups {
    struct rwxml *rwxml;
    struct candidate *candidates;
    uint32_t count;
    uint32_t *last; /* count x count, made for the first rule: the last rule that fits the pair, from 1; 0: none */
    struct rule *rules;
    uint32_t rule_count, rule_room;
    uint64_t work;
    uint64_t dangling; /* entries with a name of no frame */
    struct place first_dangling;
    const char *dangling_name, *dangling_scope;
    uint64_t idle; /* rules that fit no pair */
    struct place first_idle;
    const char *idle_evidence;
};

/* ---- CollisionSetup ---- */

static const char *full_name(struct rwxml *rwxml, const char *scope, const char *name)
{
    return arena_print(rwxml->arena, "%s%s", scope, name);
}

/* Counts the entries that name what is no frame. Before drawables belonged to frames, setups named these. */
static cp_status count_dangling(struct setups *setups, const struct collision_setup *setup, const char *scope)
{
    struct rwxml *rwxml = setups->rwxml;
    for (uint32_t i = 0; i < setup->count; i++) {
        const char *const names[] = {setup->statements[i].first, setup->statements[i].second};
        const char *wrong = NULL;
        for (int k = 0; k < 2 && names[k] && !wrong; k++) {
            const char *whole = full_name(rwxml, scope, names[k]);
            if (!whole)
                return CP_LIMIT;
            wrong = name_map_find(&rwxml->names, whole) ? NULL : names[k];
        }
        if (wrong && setups->dangling++ == 0) {
            setups->dangling_name = arena_copy_text(rwxml->arena, wrong, strlen(wrong));
            setups->dangling_scope = scope;
            const char *file = arena_copy_text(rwxml->arena, setup->file, strlen(setup->file));
            setups->first_dangling = AT_LINE(file, setup->statements[i].line);
            if (!setups->dangling_name || !file)
                return CP_LIMIT;
        }
    }
    return CP_OK;
}

static cp_status read_collision_setup(struct setups *setups, struct source *source, const char *scope)
{
    struct rwxml *rwxml = setups->rwxml;
    struct collision_setup setup;
    cp_status status = collision_setup_read(source, rwxml->settings->common.strict, &setup);
    if (status == CP_OK)
        status = count_dangling(setups, &setup, scope);
    if (status == CP_OK)
        status = collision_setup_apply(&setup, rwxml->scene, &rwxml->nodes, scope, false);
    collision_setup_free(&setup);
    return status;
}

/* Finds the frame of the drawable of that name, whose scope is that of the setup. NULL if there is none. */
static const struct rwxml_frame *find_drawable(const struct setups *setups)
{
    const struct rwxml *rwxml = setups->rwxml;
    const char *dot = strrchr(setups->dangling_name, '.'), *last = dot ? dot + 1 : setups->dangling_name;
    for (uint32_t i = 0; i < rwxml->frame_count; i++) {
        const struct rwxml_frame *frame = &rwxml->frames[i];
        if (strncmp(frame->name, setups->dangling_scope, strlen(setups->dangling_scope)) != 0)
            continue;
        for (uint32_t k = frame->first_model; k != CP_NONE; k = rwxml->placed[k].next) {
            const char *name = xml_node_attribute(rwxml->placed[k].element, "name");
            if (name && strcmp(name, last) == 0)
                return frame;
        }
    }
    return NULL;
}

static void report_dangling(const struct setups *setups)
{
    if (setups->dangling == 0)
        return;
    const struct rwxml_frame *frame = find_drawable(setups);
    report_warning(setups->rwxml->context, "rwxml-dangling", setups->first_dangling,
                   "%llu entries of collision setups name what is no frame; the first is \"%.100s\"%s%.100s%s",
                   (unsigned long long)setups->dangling, setups->dangling_name,
                   frame ? ", a drawable on the frame \"" : "", frame ? frame->name : "", frame ? "\"" : "");
}

/* ---- ProximitySetup ---- */

/* Lists the frames that have a model for collisions. */
static cp_status list_candidates(struct setups *setups)
{
    struct rwxml *rwxml = setups->rwxml;
    setups->candidates = arena_allocate(rwxml->arena, rwxml->frame_count, sizeof *setups->candidates);
    for (uint32_t i = 0; setups->candidates && i < rwxml->frame_count; i++)
        if (rwxml_collides(rwxml, &rwxml->frames[i]))
            setups->candidates[setups->count++].row = i;
    return setups->candidates ? CP_OK : CP_LIMIT;
}

static cp_status refuse_size(struct setups *setups, struct place place)
{
    return report_error(setups->rwxml->context, CP_LIMIT, "rwxml-large", place,
                        "rules for %u frames with models take too much work or memory", setups->count);
}

/* Marks the candidates that one of the rule's patterns fits. */
static cp_status match(struct setups *setups, const struct xml_node *element, const char *attribute, int side,
                       const char *scope)
{
    struct rwxml *rwxml = setups->rwxml;
    const char *text = rwxml_attribute(rwxml, element, attribute);
    struct rwxml_pattern *pattern;
    if (!text)
        return CP_INPUT;
    const char *whole = full_name(rwxml, scope, text);
    cp_status status = whole ? rwxml_compile(rwxml->arena, whole, &pattern) : CP_LIMIT;
    if (status == CP_OK && *scope && rwxml_is_expression(text))
        status = rwxml_lenient(rwxml, "rwxml-pattern", element,
                               "in the setup of a device RobWork takes REGEX as part of the name: \"%.100s\"", text);
    if (status != CP_OK)
        return status;
    if (!pattern) {
        report_loss(rwxml->context, "rwxml-pattern", xml_node_place(element), 1,
                    "a rule with the regular expression \"%.100s\", which has more than groups, alternatives, sets and "
                    "signs of repetition",
                    text);
        return CP_NO;
    }
    for (uint32_t i = 0; i < setups->count; i++) {
        const char *name = rwxml->frames[setups->candidates[i].row].name;
        setups->candidates[i].fits[side] = rwxml_fits(pattern, name);
        setups->work += strlen(name) * strlen(whole);
    }
    return CP_OK;
}

/* Makes the rule the last one of all pairs that it fits, either way round. Tells whether there are any. */
static bool apply_rule(struct setups *setups)
{
    uint32_t count = setups->count;
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; setups->candidates[i].fits[0] && k < count; k++)
            if (i != k && setups->candidates[k].fits[1]) {
                uint32_t low = i < k ? i : k, high = i < k ? k : i;
                setups->last[(size_t)low * count + high] = setups->rule_count;
                setups->work++;
                any = true;
            }
    return any;
}

static cp_status take_rule(struct setups *setups, const struct xml_node *element, const char *scope)
{
    enum { MOST_CANDIDATES = 4096 };
    static const uint64_t most_work = UINT64_C(2000000000);
    struct rwxml *rwxml = setups->rwxml;
    struct rule rule = {.includes = rwxml_is(element, "Include"), .pairs_before = rwxml->scene->pair_count};
    if (setups->count > MOST_CANDIDATES || setups->work > most_work)
        return refuse_size(setups, xml_node_place(element));
    if (!setups->last) {
        setups->last = memory_allocate_zeroed(rwxml->context, (size_t)setups->count * setups->count, sizeof(uint32_t));
        if (!setups->last)
            return CP_LIMIT;
    }
    cp_status status = match(setups, element, "PatternA", 0, scope);
    if (status == CP_OK)
        status = match(setups, element, "PatternB", 1, scope);
    if (status != CP_OK)
        return status == CP_NO ? CP_OK : status;
    rule.evidence = arena_print(rwxml->scene->arena, "%s %.200s %.200s", element->name,
                                xml_node_attribute(element, "PatternA"), xml_node_attribute(element, "PatternB"));
    if (!rule.evidence ||
        !array_add(rwxml->context, &setups->rules, &setups->rule_room, &setups->rule_count, &rule, sizeof rule))
        return CP_LIMIT;
    if (!apply_rule(setups) && setups->idle++ == 0) {
        setups->first_idle = xml_node_place(element);
        setups->idle_evidence = rule.evidence;
    }
    return CP_OK;
}

static void report_idle(const struct setups *setups)
{
    if (setups->idle > 0)
        report_warning(
            setups->rwxml->context, "rwxml-rule", setups->first_idle,
            "rules of proximity setups that fit no two frames with models for collisions: %llu; the first is "
            "\"%s\"",
            (unsigned long long)setups->idle, setups->idle_evidence);
}

/* Reads a yes or no of the setup, which is yes if it is not there. */
static bool says_no(const struct xml_node *root, const char *name)
{
    const char *value = xml_node_attribute(root, name);
    return value && (text_equal_nocase(value, "false") || strcmp(value, "0") == 0);
}

static cp_status read_proximity_setup(struct setups *setups, const struct source *source, const char *scope)
{
    struct rwxml *rwxml = setups->rwxml;
    struct xml_node *root;
    cp_status status = xml_tree_read(source, rwxml->settings->common.strict, &codes, rwxml->arena, &root);
    if (status != CP_OK)
        return status;
    if (!rwxml_is(root, "ProximitySetup"))
        return report_error(rwxml->context, CP_INPUT, "rwxml-setup", xml_node_place(root),
                            "the root element is <%.100s>, neither <ProximitySetup> nor <CollisionSetup>", root->name);
    rwxml->scene->exclude_static_pairs |= !says_no(root, "UseExcludeStaticPairs");
    if (says_no(root, "UseIncludeAll"))
        report_loss(rwxml->context, "rwxml-include-all", xml_node_place(root), 1,
                    "UseIncludeAll=\"false\", which RobWork reads and does not heed");
    for (const struct xml_node *child = xml_node_child(root, NULL); child && status == CP_OK;
         child = xml_node_next(child, NULL))
        if (rwxml_is(child, "Exclude") || rwxml_is(child, "Include"))
            status = take_rule(setups, child, scope);
        else
            rwxml_lose(rwxml, child);
    return status;
}

/* ---- pairs ---- */

static cp_status add_pair(struct rwxml *rwxml, uint32_t first, uint32_t second, const char *reason,
                          const char *evidence)
{
    uint32_t pair = scene_add_pair(rwxml->scene, rwxml->frames[first].node, rwxml->frames[second].node, reason);
    if (pair == CP_NONE)
        return CP_LIMIT;
    rwxml->scene->pairs[pair].evidence = evidence;
    return CP_OK;
}

/* Tells whether two candidates cannot move against each other. */
static bool is_static_pair(const struct setups *setups, const struct pair_rules *statics, uint32_t one, uint32_t other)
{
    const struct rwxml_frame *frames = setups->rwxml->frames;
    return statics->groups[frames[setups->candidates[one].row].node] ==
           statics->groups[frames[setups->candidates[other].row].node];
}

/* Drops the pairs of setups before a rule that includes them again. numbers: of each node among the candidates. */
static cp_status drop_included(struct setups *setups, const uint32_t *numbers)
{
    cp_scene *scene = setups->rwxml->scene;
    bool any = false, *gone = memory_allocate_zeroed(setups->rwxml->context, scene->pair_count, sizeof *gone);
    uint32_t count = scene->pair_count;
    for (uint32_t i = 0; gone && i < count; i++) {
        uint32_t a = numbers[scene->pairs[i].first], b = numbers[scene->pairs[i].second];
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        uint32_t last = high == CP_NONE || low == high ? 0 : setups->last[(size_t)low * setups->count + high];
        gone[i] = last > 0 && setups->rules[last - 1].includes && i < setups->rules[last - 1].pairs_before;
        any |= gone[i];
    }
    cp_status status = !gone ? CP_LIMIT : any ? scene_drop_rows(scene, TABLE_PAIRS, gone) : CP_OK;
    memory_free(setups->rwxml->context, gone, count, sizeof *gone);
    return status;
}

/* Static pairs are left out before rules apply, so a rule may include some of them again. A scene leaves out all of
 * them or none: tells whether they have to be pairs of their own, and finds their groups then. */
static cp_status find_statics(struct setups *setups, struct pair_rules *statics, bool *apart)
{
    struct rwxml *rwxml = setups->rwxml;
    bool *candidates = memory_allocate_zeroed(rwxml->context, rwxml->scene->node_count, sizeof *candidates);
    bool found = candidates && pair_rules_find(statics, rwxml->context, rwxml->scene, candidates);
    memory_free(rwxml->context, candidates, rwxml->scene->node_count, sizeof *candidates);
    *apart = false;
    for (uint32_t i = 0; found && i < setups->count; i++)
        for (uint32_t k = i + 1; statics->skip_static && k < setups->count && !*apart; k++) {
            uint32_t last = setups->last[(size_t)i * setups->count + k];
            *apart = last > 0 && setups->rules[last - 1].includes && is_static_pair(setups, statics, i, k);
        }
    return found ? CP_OK : CP_LIMIT;
}

/* Adds the pairs that rules exclude, and static ones that are apart, unless they are there already. */
static cp_status add_excluded(struct setups *setups)
{
    struct rwxml *rwxml = setups->rwxml;
    cp_scene *scene = rwxml->scene;
    uint32_t node_count = scene->node_count, *numbers = memory_allocate(rwxml->context, node_count, sizeof *numbers);
    uint32_t before = scene->pair_count;
    uint64_t *known = memory_allocate(rwxml->context, before, sizeof *known);
    struct pair_rules statics = {0};
    bool apart = false;
    cp_status status = numbers && known ? find_statics(setups, &statics, &apart) : CP_LIMIT;
    for (uint32_t i = 0; i < node_count && status == CP_OK; i++)
        numbers[i] = CP_NONE;
    for (uint32_t i = 0; i < setups->count && status == CP_OK; i++)
        numbers[rwxml->frames[setups->candidates[i].row].node] = i;
    if (status == CP_OK)
        status = drop_included(setups, numbers);
    uint32_t known_count = 0;
    for (; status == CP_OK && known_count < scene->pair_count; known_count++)
        known[known_count] = unordered_pair(scene->pairs[known_count].first, scene->pairs[known_count].second);
    known_count = make_set(known, known_count);
    for (uint32_t i = 0; i < setups->count; i++)
        for (uint32_t k = i + 1; k < setups->count && status == CP_OK; k++) {
            uint32_t last = setups->last[(size_t)i * setups->count + k];
            uint32_t a = setups->candidates[i].row, b = setups->candidates[k].row;
            uint64_t key = unordered_pair(rwxml->frames[a].node, rwxml->frames[b].node);
            if (set_has(known, known_count, key))
                continue;
            if (last > 0 && !setups->rules[last - 1].includes)
                status = add_pair(rwxml, a, b, "given", setups->rules[last - 1].evidence);
            else if (last == 0 && apart && is_static_pair(setups, &statics, i, k))
                status = add_pair(rwxml, a, b, "static", "UseExcludeStaticPairs");
        }
    scene->exclude_static_pairs &= !apart;
    pair_rules_free(&statics);
    memory_free(rwxml->context, known, before, sizeof *known);
    memory_free(rwxml->context, numbers, node_count, sizeof *numbers);
    return status;
}

/* Adds what RobWork leaves out without a setup. */
static cp_status add_default(struct setups *setups)
{
    struct rwxml *rwxml = setups->rwxml;
    uint32_t count = setups->count;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count && status == CP_OK; k++) {
            uint32_t rows[2] = {setups->candidates[i].row, setups->candidates[k].row};
            bool near = false;
            for (int side = 0; side < 2; side++) {
                uint32_t one = rows[side], other = rows[!side], above = rwxml->frames[one].parent;
                near |= above == other;
                near |= above != CP_NONE && rwxml->frames[above].parent == rwxml->frames[other].parent;
            }
            if (near)
                status = add_pair(rwxml, rows[0], rows[1], "adjacent", "RobWork default");
            if (++setups->work > UINT64_C(2000000000))
                return refuse_size(setups, IN_FILE(rwxml->source->name));
        }
    return status;
}

/* ---- all of them ---- */

static cp_status read_setup(struct setups *setups, const struct rwxml_later *later)
{
    struct rwxml *rwxml = setups->rwxml;
    const char *name = rwxml_attribute(rwxml, later->element, "file");
    struct source *source;
    if (!name)
        return CP_INPUT;
    cp_status status = rwxml_open(rwxml, later->element, name, &source);
    if (status == CP_NO) {
        status = rwxml_lenient(rwxml, "rwxml-setup", later->element, "cannot open the setup \"%.200s\"", name);
        report_loss(rwxml->context, "rwxml-setup", xml_node_place(later->element), 1, "the exclusions of \"%.200s\"",
                    name);
        return status;
    }
    if (status != CP_OK)
        return status;
    if (xml_probe(source->data, source->size, "CollisionSetup") > 0)
        status = read_collision_setup(setups, source, later->scope);
    else
        status = read_proximity_setup(setups, source, later->scope);
    source_close(source);
    return status;
}

cp_status rwxml_apply_setups(struct rwxml *rwxml)
{
    struct setups setups = {.rwxml = rwxml};
    cp_status status = list_candidates(&setups);
    for (uint32_t i = 0; i < rwxml->setups.count && status == CP_OK; i++)
        status = read_setup(&setups, &rwxml->setups.items[i]);
    if (status == CP_OK && setups.last)
        status = add_excluded(&setups);
    if (status == CP_OK && rwxml->setups.count == 0)
        status = add_default(&setups);
    if (status == CP_OK) {
        report_dangling(&setups);
        report_idle(&setups);
    }
    memory_free(rwxml->context, setups.last, (size_t)setups.count * setups.count, sizeof(uint32_t));
    memory_free(rwxml->context, setups.rules, setups.rule_room, sizeof *setups.rules);
    return status;
}
