/* Our reader against others on the corpus: the same triangles in the same order, as float bits. assimp reads decimals
 * with an error of up to one unit in the last place, so for ASCII files the C library's strtof is the judge of the
 * bits. */
#include <locale.h>

#include "stl_files.h"
#include "stl_support.h"

#if HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/scene.h>

static struct files files;

/* Numbers on a line on which floats follow each other without a gap. */
static int64_t place_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & 0x7fffffff) : bits;
}

/* The numbers after each "vertex" of the text; strtof minds the locale, which may have a decimal comma. */
static void assert_same_text(const cp_scene *scene, const char *text)
{
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(count, 1); /* so it is in the corpus */
    float *ours = list_corners(mesh);
    uint32_t corner = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), usual = uselocale(plain);
    for (const char *at = text; (at = strstr(at, "vertex")) != NULL; corner++) {
        char *after = (char *)(uintptr_t)(at += strlen("vertex"));
        for (uint32_t k = 0; k < 3; k++) {
            const float value = strtof(after, &after);
            assert_true(corner < mesh->corner_count);
            assert_memory_equal(ours + 3 * (size_t)corner + k, &value, sizeof value);
        }
    }
    uselocale(usual);
    freelocale(plain);
    assert_int_equal(corner, mesh->corner_count);
    free(ours);
}

/* assimp gives each solid a mesh; it drops empty ones. */
static void assert_same_scene(const cp_scene *scene, const struct aiScene *other, int64_t tolerance)
{
    uint32_t count, at = 0;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (meshes[i].face_count == 0)
            continue;
        assert_true(at < other->mNumMeshes);
        const struct aiMesh *mesh = other->mMeshes[at++];
        float *ours = list_corners(&meshes[i]);
        assert_int_equal(mesh->mNumFaces, meshes[i].face_count);
        for (uint32_t f = 0; f < mesh->mNumFaces; f++) {
            assert_int_equal(mesh->mFaces[f].mNumIndices, 3);
            for (uint32_t k = 0; k < 3; k++) {
                const struct aiVector3D *v = &mesh->mVertices[mesh->mFaces[f].mIndices[k]];
                const float theirs[3] = {v->x, v->y, v->z};
                for (uint32_t c = 0; c < 3; c++)
                    assert_true(llabs(place_of(ours[9 * (size_t)f + 3 * k + c]) - place_of(theirs[c])) <= tolerance);
                if (tolerance == 0)
                    assert_memory_equal(ours + 9 * (size_t)f + 3 * (size_t)k, theirs, sizeof theirs);
            }
        }
        free(ours);
    }
    assert_int_equal(at, other->mNumMeshes);
}

static void test_same_triangles(void **state)
{
    (void)state;
    for (size_t i = 0; i < files.count; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene;
        assert_int_equal(cp_read(context, files.paths[i], "stl", NULL, 0, &scene), CP_OK);
        const struct aiScene *other = aiImportFile(files.paths[i], 0);
        assert_non_null(other);
        char *text = read_whole(files.paths[i], NULL);
        bool ascii = strncmp(text, "solid", 5) == 0;
        assert_same_scene(scene, other, ascii ? 1 : 0);
        if (ascii)
            assert_same_text(scene, text);
        free(text);
        aiReleaseImport(other);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

int main(void)
{
    find_stl_files(SHARED "/corpus", &files);
    if (files.count == 0) {
        printf("skipped: no STL files in " SHARED "/corpus\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_triangles)};
    return cmocka_run_group_tests_name("stl against assimp", tests, NULL, NULL);
}

#else

int main(void)
{
    printf("skipped: built without assimp (libassimp-dev)\n");
    return 77;
}

#endif
