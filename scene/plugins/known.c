/* Recognises formats by the signs in their descriptions: ISO 10303-21, IGES 5.3, gmsh's MSH, X3D (ISO/IEC 19776),
 * JT (ISO 14306), OpenUSD, APPNOTE 6.3.3 of ZIP, and the root elements of the formats in XML. */
#include "registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum { LOOKED_AT = 65536 }; /* bytes of the beginning */

struct text {
    const char *at, *end;
};

static bool begins(struct text text, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(text.end - text.at) >= size && memcmp(text.at, word, size) == 0;
}

static bool has(struct text text, const char *word)
{
    for (; text.at < text.end; text.at++)
        if (*text.at == *word && begins(text, word))
            return true;
    return false;
}

/* Returns the text after the next `word`; an empty one if there is none. */
static struct text behind(struct text text, const char *word)
{
    while (text.at < text.end && !begins(text, word))
        text.at++;
    if (text.at < text.end)
        text.at += strlen(word);
    return text;
}

/* Returns the text after a byte order mark and blanks. */
static struct text skip_blanks(struct text text)
{
    if (begins(text, "\xef\xbb\xbf"))
        text.at += 3;
    while (text.at < text.end && is_space(*text.at))
        text.at++;
    return text;
}

/* Returns the text from the name of the XML root element on. */
static struct text find_root(struct text text)
{
    for (;;) {
        text = skip_blanks(text);
        if (begins(text, "<!--"))
            text = behind(text, "-->");
        else if (begins(text, "<?"))
            text = behind(text, "?>");
        else if (begins(text, "<!"))
            text = behind(text, ">");
        else
            break;
    }
    if (!begins(text, "<"))
        text.at = text.end;
    else
        text.at++;
    return text;
}

static bool is_element(struct text root, const char *name)
{
    size_t size = strlen(name);
    return begins(root, name) && (size_t)(root.end - root.at) > size &&
           (is_space(root.at[size]) || root.at[size] == '>' || root.at[size] == '/');
}

static const char *known_xml(struct text root)
{
    static const struct {
        const char *root, *is;
    } others[] = {
        {"sdf", "is SDF, a world of Gazebo: convert its meshes one by one"},
        {"mujoco", "is MJCF, a model of MuJoCo: convert its meshes one by one"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_element(root, others[i].root))
            return others[i].is;
    return NULL;
}

/* Returns the name of an archive's first file. */
static struct text first_name(struct text text)
{
    struct text none = {text.end, text.end};
    if (!begins(text, "PK\3\4") || text.end - text.at < 30)
        return none;
    size_t size = (unsigned char)text.at[26] | (size_t)(unsigned char)text.at[27] << 8;
    return (size_t)(text.end - text.at) < 30 + size ? none : (struct text){text.at + 30, text.at + 30 + size};
}

static bool ends(struct text text, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(text.end - text.at) >= size && memcmp(text.end - size, word, size) == 0;
}

static bool is_usd(struct text text)
{
    struct text inside = first_name(text);
    return begins(text, "PXR-USDC") || begins(text, "#usda ") || ends(inside, ".usda") || ends(inside, ".usdc") ||
           ends(inside, ".usd");
}

static struct text beginning(const struct source *source)
{
    size_t size = source->size < LOOKED_AT ? source->size : LOOKED_AT;
    return (struct text){source->data, source->data + size};
}

const char *known_format(const struct source *source)
{
    struct text text = beginning(source), inside = first_name(text);
    if (begins(text, "#X3D V"))
        return "is X3D in the classic encoding: convert it to its XML encoding (.x3d), by view3dscene";
    if (begins(text, "$MeshFormat"))
        return "is a mesh of gmsh: export STL from gmsh, or convert it by meshio";
    if (begins(text, "Version ") && text.end - text.at > 16 && has((struct text){text.at, text.at + 16}, " JT"))
        return "is JT: export STL, 3MF or glTF from the CAD program";
    if (ends(inside, "Document.xml") && inside.end - inside.at == 12)
        return "is a document of FreeCAD: export STL, 3MF or glTF from it";
    if (is_usd(text))
        return "is USD: export glTF from the program that wrote it, or convert it by Blender";
    if (begins(text, "AC10") && text.end - text.at > 6 && is_digit(text.at[4]) && is_digit(text.at[5]))
        return "is DWG, a drawing of AutoCAD: save it as DXF, or convert it to DXF by the ODA File Converter";
    if (begins(text, "BLENDER1") || (begins(text, "\x28\xb5\x2f\xfd") && text_ends_nocase(source->name, ".blend")))
        return "is a .blend file that is too new for its reader: export glTF from Blender";
    return known_xml(find_root(text));
}

const char *known_archive(const struct source *source)
{
    return begins(beginning(source), "PK\3\4")
               ? "is a ZIP archive without a part that cellpipe finds: unpack it, and convert the files in it"
               : NULL;
}

const char *known_refusal(const struct source *source)
{
    return begins(beginning(source), "BLENDER")
               ? "is a .blend file, whose reader knows best those of Blender up to 2.79: export glTF from Blender"
               : NULL;
}
