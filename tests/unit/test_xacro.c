/* The expansion of xacro: each rule of the language by a small document, with what it has to become. */
#include "xacro_support.h"

#define ROBOT "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">"

/* A body of <robot>, and what becomes of it; or the error, by what it says. */
struct row {
    const char *body, *expected, *error;
    int line;
};

static const char *const no_arguments[] = {NULL};

/* Expands a body as top.xacro of the folder. NULL on an error. */
static char *expand_body(cp_context *context, const char *body, const char *const *arguments)
{
    struct buffer text = {.context = context};
    struct xacro_settings settings = {.arguments = {.count = 0}};
    for (; arguments[settings.arguments.count]; settings.arguments.count++)
        settings.arguments.items[settings.arguments.count] = arguments[settings.arguments.count];
    buffer_print(&text, "%s%s</robot>", ROBOT, body);
    buffer_append(&text, "", 1);
    write_file("top.xacro", text.data);
    buffer_free(&text);
    return expanded(context, path_of("top.xacro"), &settings);
}

static void check_row(const struct row *row)
{
    cp_context *context = cp_context_new(NULL);
    char *got = expand_body(context, row->body, no_arguments);
    if (row->error) {
        size_t count;
        const cp_entry *entries = cp_report(context, &count);
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found |= entries[i].severity == CP_ERROR && strstr(entries[i].text, row->error) &&
                     entries[i].line == (uint64_t)row->line && entries[i].file;
        if (got || !found) {
            show_report(context);
            fail_msg("%s: no error \"%s\" at line %d", row->body, row->error, row->line);
        }
    } else {
        if (!got) {
            show_report(context);
            fail_msg("%s", row->body);
        }
        struct buffer text = {.context = context};
        buffer_print(&text, "<robot name=\"r\">%s</robot>", row->expected);
        buffer_append(&text, "", 1);
        char *expected = plain(context, text.data);
        expect_same(row->body, got, expected);
        buffer_free(&text);
        free(expected);
    }
    free(got);
    cp_context_free(context);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_row(&rows[i]);
}
#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

#define PROPERTY(name, value) "<xacro:property name=\"" name "\" value=\"" value "\"/>"

static void test_texts(void **state)
{
    static const struct row rows[] = {
        {"<a b=\"c\"/>", "<a b=\"c\"/>", NULL, 0},
        {"<a b=\"\"/>", "<a b=\"\"/>", NULL, 0},
        {"<a b=\"${1 + 1}\"/>", "<a b=\"2\"/>", NULL, 0},
        {"<a b=\"x${1}y${2}z\"/>", "<a b=\"x1y2z\"/>", NULL, 0},
        {"<a b=\"${1}${2}\"/>", "<a b=\"12\"/>", NULL, 0},
        {"<a b=\"$${1}\"/>", "<a b=\"${1}\"/>", NULL, 0},
        {"<a b=\"$$${1}\"/>", "<a b=\"$${1}\"/>", NULL, 0},
        {"<a b=\"$$(arg x)\"/>", "<a b=\"$(arg x)\"/>", NULL, 0},
        {"<a b=\"5$ and $x\"/>", "<a b=\"5$ and $x\"/>", NULL, 0},
        {"<a>${'t' + 'u'}</a>", "<a>tu</a>", NULL, 0},
        {"<a>1 ${2} 3</a>", "<a>1 2 3</a>", NULL, 0},
        {"<a>${1 &lt; 2}</a>", "<a>True</a>", NULL, 0},
        {"<a><![CDATA[${1}]]></a>", "<a>${1}</a>", NULL, 0},
        {"<a>${1}<![CDATA[${1}]]></a>", "<a>1${1}</a>", NULL, 0},
        {"<!-- ${nothing} --><a/>", "<a/>", NULL, 0},
        {"<a xacro:b=\"1\" c=\"2\"/>", "<a c=\"2\"/>", NULL, 0},
        {"<a b=\"${'}'}\"/>", NULL, "'", 1},
        {"\n<a b=\"${1\"/>", NULL, "a $ that begins nothing", 2},
        {"\n<a b=\"$(find x\"/>", NULL, "a $ that begins nothing", 2},
        {"<a b=\"$$x\"/>", NULL, "a $ that begins nothing", 1},
        {"\n\n<a b=\"${gone}\"/>", NULL, "gone", 3},
        {"<a b=\"$(anon x)\"/>", NULL, "$(anon x): only arg, find", 1},
        {"<a b=\"$(find)\"/>", NULL, "words are missing", 1},
        {"<a b=\"$(find a b)\"/>", NULL, "too many words", 1},
        {"<a b=\"$(find no_such)\"/>", NULL, "--package no_such=DIR", 1},
        {"<a b=\"$(env X)\"/>", NULL, "env=yes", 1},
        {"<a b=\"$(optenv X)\"/>", "<a b=\"\"/>", NULL, 0},
        {"<a b=\"$(optenv X a b)\"/>", "<a b=\"a b\"/>", NULL, 0},
        {"<a b=\"$(eval 2 * 3)\"/>", "<a b=\"6\"/>", NULL, 0},
        {"<xacro:arg name=\"n\" default=\"4\"/>" PROPERTY("n", "9") "<a b=\"$(eval n + 1 if true else 0)\"/>",
         "<a b=\"5\"/>", NULL, 0},
    };
    (void)state;
    CHECK_ROWS(rows);
}

#define MACRO(name, parameters, body) "<xacro:macro name=\"" name "\" params=\"" parameters "\">" body "</xacro:macro>"

static void test_properties(void **state)
{
    static const struct row rows[] = {
        {PROPERTY("p", "2") "<a b=\"${p * 2}\"/>", "<a b=\"4\"/>", NULL, 0},
        {PROPERTY("p", "2.0") "<a b=\"${p}\"/>", "<a b=\"2.0\"/>", NULL, 0},
        {PROPERTY("p", "2_0") "<a b=\"${p}\"/>", "<a b=\"2_0\"/>", NULL, 0},
        {PROPERTY("p", "true") "<a b=\"${p}\"/>", "<a b=\"True\"/>", NULL, 0},
        {PROPERTY("p", "x") "<a b=\"${p}\"/>", "<a b=\"x\"/>", NULL, 0},
        {PROPERTY("p", "${q}") PROPERTY("q", "3") "<a b=\"${p}\"/>", "<a b=\"3\"/>", NULL, 0},
        {PROPERTY("p", "${[1, 2]}") "<a b=\"${p[1]}\"/>", "<a b=\"2\"/>", NULL, 0},
        {PROPERTY("p", "1") PROPERTY("p", "2") "<a b=\"${p}\"/>", "<a b=\"2\"/>", NULL, 0},
        {PROPERTY("p", "1") "<xacro:property name=\"p\" default=\"2\"/><a b=\"${p}\"/>", "<a b=\"1\"/>", NULL, 0},
        {"<xacro:property name=\"p\" default=\"2\"/><a b=\"${p}\"/>", "<a b=\"2\"/>", NULL, 0},
        {PROPERTY("p", "1") "<xacro:property name=\"q\" value=\"${p}\" lazy_eval=\"false\"/>" PROPERTY(
             "p", "2") "<a b=\"${q}\"/>",
         "<a b=\"1\"/>", NULL, 0},
        {PROPERTY("n", "x") PROPERTY("${n}y", "5") "<a b=\"${xy}\"/>", "<a b=\"5\"/>", NULL, 0},
        {"<xacro:property name=\"o\"><c/><d e=\"${1}\"/></xacro:property><a><xacro:insert_block name=\"o\"/></a>",
         "<a><c/><d e=\"1\"/></a>", NULL, 0},
        {PROPERTY("p", "1") "<xacro:property name=\"p\" remove=\"true\"/>\n<a b=\"${p}\"/>", NULL, "p", 2},
        {PROPERTY("p", "${q}") "\n" PROPERTY("q", "${p}") "<a b=\"${p}\"/>", NULL, "needs itself", 1},
        {"\n" PROPERTY("a-b", "1"), NULL, "\"a-b\" cannot be the name", 2},
        {PROPERTY("__a", "1"), NULL, "\"__a\" cannot be the name", 1},
        {"<xacro:property value=\"1\"/>", NULL, "has no attribute name", 1},
        {"<xacro:property name=\"p\" value=\"1\" other=\"2\"/><a b=\"${p}\"/>", "<a b=\"1\"/>", NULL, 0},
        {PROPERTY("c", "9")
             MACRO("m", "c:=1", "<xacro:property name=\"c\" remove=\"true\"/>") "<xacro:m/>\n<a b=\"${c}\"/>",
         NULL, "c", 2},
        {MACRO("m", "", "<xacro:property name=\"p\" default=\"6\" scope=\"global\"/>") "<xacro:m/><a b=\"${p}\"/>",
         "<a b=\"6\"/>", NULL, 0},
        {"<xacro:property name=\"e\" default=\"2\"/><a b=\"${e}\"/>", "<a b=\"2.718281828459045\"/>", NULL, 0},
        {PROPERTY("pi", "3") "<a b=\"${pi}\"/>", "<a b=\"3\"/>", NULL, 0},
        {"<xacro:property name=\"p\" value=\"1\" default=\"2\"/>", NULL, "more than one of value, default", 1},
        {"<a><xacro:insert_block name=\"o\"/></a>", NULL, "there is no block \"o\"", 1},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void test_macros(void **state)
{
    static const struct row rows[] = {
        {MACRO("m", "p", "<a b=\"${p}\"/>") "<xacro:m p=\"1\"/><xacro:m p=\"x\"/>", "<a b=\"1\"/><a b=\"x\"/>", NULL,
         0},
        {"<xacro:macro name=\"m\"><a/></xacro:macro><xacro:m/>", "<a/>", NULL, 0},
        {MACRO("m", "p:=1 q=2", "<a b=\"${p}${q}\"/>") "<xacro:m/><xacro:m q=\"3\"/>", "<a b=\"12\"/><a b=\"13\"/>",
         NULL, 0},
        {MACRO("m", "p:='x y' q:=''", "<a b=\"${p}|${q}\"/>") "<xacro:m/>", "<a b=\"x y|\"/>", NULL, 0},
        {MACRO("m", "p := 4", "<a b=\"${p}\"/>") "<xacro:m/>", "<a b=\"4\"/>", NULL, 0},
        {MACRO("m", "p:=${1 + 1} q:=z", "<a b=\"${p}${q}\"/>") "<xacro:m/>", "<a b=\"2z\"/>", NULL, 0},
        {PROPERTY("p", "7") MACRO("m", "p:=^ q:=^|8", "<a b=\"${p}${q}\"/>") "<xacro:m/>", "<a b=\"78\"/>", NULL, 0},
        {PROPERTY("p", "7") MACRO("m", "p", "<a b=\"${p}\"/>") "<xacro:m p=\"${p + 1}\"/><c d=\"${p}\"/>",
         "<a b=\"8\"/><c d=\"7\"/>", NULL, 0},
        {MACRO("m", "*o", "<a><xacro:insert_block name=\"o\"/></a>") "<xacro:m><c/></xacro:m>", "<a><c/></a>", NULL, 0},
        {MACRO("m", "**o", "<a><xacro:insert_block name=\"o\"/></a>") "<xacro:m><c><d/><e/></c></xacro:m>",
         "<a><d/><e/></a>", NULL, 0},
        {MACRO("m", "*o *p",
               "<xacro:insert_block name=\"p\"/><xacro:insert_block name=\"o\"/>") "<xacro:m><c/><d/></xacro:m>",
         "<d/><c/>", NULL, 0},
        {PROPERTY("v", "1")
             MACRO("m", "*o v", "<xacro:insert_block name=\"o\"/>") "<xacro:m v=\"2\"><c d=\"${v}\"/></xacro:m>",
         "<c d=\"1\"/>", NULL, 0},
        {MACRO("in", "", "<a b=\"${p}\"/>") MACRO("out", "p", "<xacro:in/>") "<xacro:out p=\"5\"/>", "<a b=\"5\"/>",
         NULL, 0},
        {MACRO("m", "n",
               "<a b=\"${n}\"/><xacro:if value=\"${n > 0}\"><xacro:m n=\"${n - 1}\"/></xacro:if>") "<xacro:m n=\"2\"/>",
         "<a b=\"2\"/><a b=\"1\"/><a b=\"0\"/>", NULL, 0},
        {MACRO("m", "", "<a/>") MACRO("m", "", "<b/>") "<xacro:m/>", "<b/>", NULL, 0},
        {MACRO("m1", "p", "<a b=\"${p}\"/>") "<xacro:call macro=\"m${1}\" p=\"3\"/>", "<a b=\"3\"/>", NULL, 0},
        {MACRO("m", "", "<xacro:property name=\"p\" value=\"3\" scope=\"parent\"/>") "<xacro:m/><a b=\"${p}\"/>",
         "<a b=\"3\"/>", NULL, 0},
        {MACRO("m", "", "<xacro:property name=\"p\" value=\"3\" scope=\"global\"/>")
             MACRO("o", "", "<xacro:m/>") "<xacro:o/><a b=\"${p}\"/>",
         "<a b=\"3\"/>", NULL, 0},
        {MACRO("m", "", PROPERTY("p", "2") "<a b=\"${p}\"/>") PROPERTY("p", "1") "<xacro:m/><a b=\"${p}\"/>",
         "<a b=\"2\"/><a b=\"1\"/>", NULL, 0},
        {PROPERTY("c", "8") PROPERTY("b", "${c}")
             MACRO("m", "a:=${b}", "<e v=\"${a}\"/>") "<xacro:m a=\"1\"/>" PROPERTY("c", "4") "<xacro:m/>",
         "<e v=\"1\"/><e v=\"8\"/>", NULL, 0},
        {MACRO("m", "", MACRO("k", "", "<a/>") "<xacro:k/>") "<xacro:m/>", "<a/>", NULL, 0},
        {MACRO("m", "", MACRO("k", "", "<a/>")) "<xacro:m/>\n<xacro:k/>", NULL, "there is no macro \"k\"", 2},
        {MACRO("m", "p", "<a/>") "\n<xacro:m/>", NULL, "does not give its parameter \"p\"", 2},
        {MACRO("m", "p", "<a/>") "\n<xacro:m p=\"1\" q=\"2\"/>", NULL, "has no parameter \"q\"", 2},
        {MACRO("m", "p:=^", "<a/>") "\n<xacro:m/>", NULL, "takes the property \"p\" of its caller", 2},
        {MACRO("m", "p:=1 q:=${p}", "<a/>") "\n<xacro:m/>", NULL, "p", 2},
        {MACRO("m", "*o", "<a/>") "\n<xacro:m/>", NULL, "no element for its block \"*o\"", 2},
        {MACRO("m", "", "<a/>") "\n<xacro:m><c/></xacro:m>", NULL, "has no block for <c>", 2},
        {MACRO("m", "", "\n<a b=\"${gone}\"/>") "\n<xacro:m/>", NULL, "gone", 2},
        {MACRO("a.b", "", "<a/>"), NULL, "has a point", 1},
        {MACRO("m", "p:='x", "<a/>"), NULL, "is no parameter", 1},
        {MACRO("m", ":=4", "<a/>"), NULL, "is no parameter", 1},
        {MACRO("m", "", "<xacro:m/>") "<xacro:m/>", NULL, "nested more than 256 deep", 1},
        {"\n<xacro:nothing/>", NULL, "there is no macro \"nothing\"", 2},
    };
    (void)state;
    CHECK_ROWS(rows);
}

#define IF(value) "<xacro:if value=\"" value "\"><a/></xacro:if>"

static void test_conditions(void **state)
{
    static const struct row rows[] = {
        {IF("true") IF("True") IF("1") IF("-2") IF("${0.5}") IF("${'a' == 'a'}") IF("${[0]}"),
         "<a/><a/><a/><a/><a/><a/><a/>", NULL, 0},
        {IF("false") IF("False") IF("0") IF("${0.0}") IF("${[]}") IF("${None}"), "", NULL, 0},
        {"<xacro:unless value=\"0\"><a/></xacro:unless><xacro:unless value=\"1\"><b/></xacro:unless>", "<a/>", NULL, 0},
        {"<xacro:if value=\"0\"><xacro:nothing b=\"${gone}\"/></xacro:if>", "", NULL, 0},
        {"<xacro:if value=\"1\">x<a/>y</xacro:if>", "x<a/>y", NULL, 0},
        {IF("TRUE"), NULL, "\"TRUE\" gives \"TRUE\", which is neither", 1},
        {IF("0.0"), NULL, "which is neither", 1},
        {IF(""), NULL, "which is neither", 1},
        {IF("false "), NULL, "which is neither", 1},
        {IF("${'no'}"), NULL, "\"${'no'}\" gives \"no\"", 1},
        {"<xacro:if><a/></xacro:if>", NULL, "<xacro:if> has no attribute value", 1},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void test_elements(void **state)
{
    static const struct row rows[] = {
        {"<xacro:element xacro:name=\"y${1}\" a=\"2\"><b/></xacro:element>", "<y1 a=\"2\"><b/></y1>", NULL, 0},
        {"<y><xacro:attribute name=\"b\" value=\"${1 + 1}\"/></y>", "<y b=\"2\"/>", NULL, 0},
        {"<y b=\"1\"><xacro:if value=\"1\"><xacro:attribute name=\"b\" value=\"3\"/></xacro:if></y>", "<y b=\"3\"/>",
         NULL, 0},
        {"<xacro:element a=\"2\"/>", NULL, "no xacro:name", 1},
        {"<xacro:element xacro:name=\"xacro:element\"/>", NULL, "no xacro:name", 1},
        {"<property name=\"a\" value=\"1\"/>", "<property name=\"a\" value=\"1\"/>", NULL, 0},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void test_includes(void **state)
{
    static const struct row rows[] = {
        {"<xacro:include filename=\"i.xacro\"/><a b=\"${q}\"/><xacro:k/>", "<link/><a b=\"5\"/><k1 c=\"5\"/>", NULL, 0},
        {"<xacro:include filename=\"i.xacro\" ns=\"n\"/><a b=\"${n.q}\"/><xacro:n.k/>",
         "<link/><a b=\"5\"/><k1 c=\"5\"/>", NULL, 0},
        {PROPERTY("a", "2") "<xacro:include filename=\"n.xacro\" ns=\"n\"/><xacro:n.k/><xacro:n.k c=\"${a}\"/>",
         "<e v=\"5\"/><e v=\"5\"/>", NULL, 0},
        {"<xacro:include filename=\"outer.xacro\" ns=\"n\"/><e v=\"${n.w.a}\"/><xacro:n.w.k c=\"1\"/><e v=\"${p}\"/>",
         "<e v=\"5\"/><e v=\"1\"/><e v=\"3\"/>", NULL, 0},
        {"<xacro:include filename=\"i.xacro\" ns=\"\"/><a b=\"${q}\"/>", "<link/><a b=\"5\"/>", NULL, 0},
        {"<xacro:include filename=\"i.xacro\" ns=\"n\"/>\n<xacro:k/>", NULL, "there is no macro \"k\"", 2},
        {"<xacro:include filename=\"i.xacro\" ns=\"n\"/>\n<a b=\"${q}\"/>", NULL, "q", 2},
        {PROPERTY("f", "i") "<xacro:include filename=\"${f}.xacro\"/>", "<link/>", NULL, 0},
        {"<xacro:include filename=\"d/a.xacro\"/>", "<inner/>", NULL, 0},
        {"<xacro:include filename=\"d/p?.xacro\"/>", "<one/><two/>", NULL, 0},
        {"<xacro:include filename=\"none*.xacro\"/>", "", NULL, 0},
        {"<xacro:include filename=\"gone.xacro\" optional=\"true\"/><a/>", "<a/>", NULL, 0},
        {"\n<xacro:include filename=\"gone.xacro\"/>", NULL, "the file gone.xacro is not there", 2},
        {"<xacro:include filename=\"bad.xacro\"/>", NULL, "gone", 3},
        {"<xacro:include filename=\"itself.xacro\"/>", NULL, "includes itself", 0},
        {"<xacro:include filename=\"\"/>", NULL, "is not there", 1},
        {"<xacro:include filename=\"$(find pkg)/e.xacro\"/>", "<e/>", NULL, 0},
        {PROPERTY("y", "${xacro.load_yaml('f.yaml')}") "<a b=\"${y['a'][1]} ${y.n.m}\"/>", "<a b=\"2.5 3\"/>", NULL, 0},
        {PROPERTY("y", "${xacro.load_yaml('g.yaml')}") "\n<a b=\"${y}\"/>", NULL, "g.yaml is not there", 1},
    };
    (void)state;
    write_file("i.xacro", ROBOT PROPERTY("q", "5") MACRO("k", "", "<k1 c=\"${q}\"/>") "<link/></robot>");
    write_file("n.xacro", ROBOT PROPERTY("a", "5") MACRO("k", "c:=${a}", "<e v=\"${c}\"/>") "</robot>");
    write_file("outer.xacro",
               ROBOT "<xacro:include filename=\"n.xacro\" ns=\"w\"/>" MACRO(
                   "m", "", "<xacro:property name=\"p\" value=\"3\" scope=\"parent\"/>") "<xacro:m/></robot>");
    write_file("d/a.xacro", ROBOT "<xacro:include filename=\"b.xacro\"/></robot>");
    write_file("d/b.xacro", ROBOT "<inner/></robot>");
    write_file("d/p2.xacro", ROBOT "<two/></robot>");
    write_file("d/p1.xacro", ROBOT "<one/></robot>");
    write_file("bad.xacro", ROBOT "\n\n<a b=\"${gone}\"/></robot>");
    write_file("itself.xacro", ROBOT "<xacro:include filename=\"itself.xacro\"/></robot>");
    write_file("pkg/package.xml", "<package><name>pkg</name></package>");
    write_file("pkg/e.xacro", ROBOT "<e/></robot>");
    write_file("package.xml", "<package><name>top</name></package>");
    write_file("f.yaml", "a: [1, 2.5]\nn: {m: 3}\n");
    CHECK_ROWS(rows);
}

/* Each YAML file is read once, by whatever name, and no other in its place. */
static void test_yaml_files(void **state)
{
#define YAML(path) "${xacro.load_yaml('" path "').v}"
    static const struct row rows[] = {
        {"<a b=\"" YAML("f.yaml") YAML("f.yaml") YAML("f.yaml") "\"/>", "<a b=\"111\"/>", NULL, 0},
        {"<a b=\"" YAML("f.yaml") YAML("d/f.yaml") YAML("f.yaml") "\"/>", "<a b=\"121\"/>", NULL, 0},
        {"<a b=\"" YAML("f.yaml") "\"/><xacro:include filename=\"d/y.xacro\"/>", "<a b=\"1\"/><e v=\"2 3\"/>", NULL, 0},
        {"<xacro:include filename=\"d/y.xacro\"/><a b=\"" YAML("f.yaml") YAML("g.yaml") "\"/>",
         "<e v=\"2 3\"/><a b=\"14\"/>", NULL, 0},
        {"<a b=\"" YAML("./f.yaml") YAML("d/../f.yaml") YAML("f.yaml") "\"/>", "<a b=\"111\"/>", NULL, 0},
        {"<a b=\"" YAML("f.yaml") "\"/>\n<a b=\"" YAML("//f.yaml") "\"/>", NULL, "the file //f.yaml is not there", 2},
        {"<a b=\"" YAML("f.yaml") "\"/>\n<a b=\"" YAML("cut.yaml") "\"/>", NULL, "flow sequence", 2},
    };
#undef YAML
    (void)state;
    write_file("f.yaml", "v: 1\n");
    write_file("d/f.yaml", "v: 2\n");
    write_file("g.yaml", "v: 4\n");
    write_file("d/g.yaml", "v: 3\n");
    write_file("cut.yaml", "a: [1\n");
    write_file("d/y.xacro", ROBOT "<e v=\"${xacro.load_yaml('f.yaml').v} ${xacro.load_yaml('g.yaml').v}\"/></robot>");
    CHECK_ROWS(rows);
}

static void test_arguments(void **state)
{
    static const char *const given[] = {"x:=9", "y=a:=b", NULL};
    static const char body[] =
        "<xacro:arg name=\"x\" default=\"4\"/><xacro:arg name=\"z\" default=\"${1 + 1}\"/>"
        "<xacro:arg name=\"z\" default=\"7\"/>" PROPERTY(
            "p", "$(arg x)") "<a b=\"$(arg x)\" c=\"${p + 1}\" d=\"${xacro.arg('z')}\" e=\"$(arg y)\"/>";
    cp_context *context = cp_context_new(NULL);
    char *got = expand_body(context, body, given);
    (void)state;
    if (!got)
        show_report(context);
    char *expected = plain(context, "<robot name=\"r\"><a b=\"9\" c=\"10\" d=\"2\" e=\"a:=b\"/></robot>");
    expect_same("arguments", got, expected);
    free(got);
    free(expected);
    assert_false(was_reported(context, "xacro-argument-unused"));

    write_file("named.xacro", "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='$(arg n)' k='1'>"
                              "<xacro:arg name='n' default='q'/><xacro:attribute name='j' value='2'/></robot>");
    struct xacro_settings none = {.arguments = {.count = 0}};
    got = expanded(context, path_of("named.xacro"), &none);
    expected = plain(context, "<robot name='q' k='1' j='2'/>");
    expect_same("named", got, expected);
    free(got);
    free(expected);

    free(expand_body(context, "<a/>", given));
    assert_int_equal(count_entries(context, CP_WARNING, "xacro-argument-unused"), 2);
    static const char *const wrong[] = {":=9", NULL};
    assert_null(expand_body(context, "<a/>", wrong));
    assert_true(was_said(context, "is not NAME:=VALUE"));
    static const struct row rows[] = {
        {"\n<a b=\"$(arg x)\"/>", NULL, "the argument \"x\" has no value", 2},
        {"<xacro:arg name=\"x\"/>\n<a b=\"$(arg x)\"/>", NULL, "--in arg=x:=VALUE", 2},
    };
    CHECK_ROWS(rows);
    cp_context_free(context);
}

/* Documents that would grow without bound end in an error soon. */
static void test_bombs(void **state)
{
    static const struct row rows[] = {
        {PROPERTY("a", "xxxxxxxxxxxxxxxx")
             MACRO("m", "n t",
                   "<xacro:if value=\"${n > 0}\">"
                   "<xacro:m n=\"${n - 1}\" t=\"${t}${t}\"/></xacro:if>") "<xacro:m n=\"60\" t=\"${a}\"/>",
         NULL, "more than 64 MB of text", 1},
        {MACRO(
             "m", "n",
             "<xacro:if value=\"${n > 0}\"><xacro:m n=\"${n - 1}\"/><xacro:m n=\"${n - 1}\"/></xacro:if>") "<xacro:m "
                                                                                                           "n=\"60\"/>",
         NULL, "more than 1000000 elements", 1},
    };
    (void)state;
    CHECK_ROWS(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_properties), cmocka_unit_test(test_macros),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_elements),   cmocka_unit_test(test_includes),
        cmocka_unit_test(test_yaml_files), cmocka_unit_test(test_arguments),  cmocka_unit_test(test_bombs),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
