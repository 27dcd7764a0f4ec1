#!/bin/sh
# test_install.sh PROGRAM: what `cmake --install` gives is all that a program of somebody else's needs, by CMake and by pkg-config.
program=$(realpath "$1")
build=$(dirname "$program")
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if grep -q '^CMAKE_C_FLAGS:.*-fsanitize' "$build/CMakeCache.txt"; then
    echo "a sanitized library is not for installing"
    exit 0
fi
cmake --install "$build" --prefix "$work/usr" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -e "$build/cellpipe_kernel.so" ] || "$work/usr/bin/cellpipe" info -q "$top/samples/step_clamp.step" >"$work/log" 2>&1 ||
    { cat "$work/log"; echo "FAILED: the installed program reads no STEP"; exit 1; }
mkdir "$work/client"
cd "$work/client" || exit 1
cat >client.c <<'EOF'
#include <cellpipe_build.h>
#include <stdio.h>

int main(void)
{
    static const char part[] = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                               "endloop\nendfacet\nendsolid s\n";
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    cp_status status = cp_read_memory(context, part, sizeof part - 1, "part.stl", NULL, NULL, 0, &scene);
    uint32_t meshes = 0;
    if (status == CP_OK)
        (void)cp_meshes(scene, &meshes);
    printf("%d %u\n", (int)status, (unsigned)meshes);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}
EOF
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.22)
project(client C)
find_package(cellpipe 0.1 REQUIRED)
add_executable(client client.c)
target_link_libraries(client cellpipe::cellpipe)
EOF
failed=0
fail() {
    failed=1
    echo "FAILED: $*"
    cat "$work/log"
}
{ cmake -B by_cmake -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" && cmake --build by_cmake; } >"$work/log" 2>&1 || fail "a client by CMake"
[ "$(by_cmake/client)" = '0 1' ] || fail "the client by CMake"

config=$(find "$work/usr" -name cellpipe.pc)
PKG_CONFIG_PATH=$(dirname "$config")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc client.c $(pkg-config --cflags --libs cellpipe) -o by_pkg_config >"$work/log" 2>&1 || fail "a client by pkg-config"
[ "$(LD_LIBRARY_PATH=$(pkg-config --variable=libdir cellpipe) ./by_pkg_config)" = '0 1' ] || fail "the client by pkg-config"

# The header is C++ too, and the package is found by a project that knows no C.
if command -v c++ >/dev/null; then
    mkdir other
    cp client.c other/client.cpp
    sed 's/client C)/client CXX)/; s/client\.c)/client.cpp)/' CMakeLists.txt >other/CMakeLists.txt
    { cmake -S other -B by_cxx -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wpedantic -Werror' &&
        cmake --build by_cxx; } >"$work/log" 2>&1 || fail "a client in C++"
    [ "$(by_cxx/client)" = '0 1' ] || fail "the client in C++"
else
    echo "skipped: test_install's client in C++ needs g++"
fi

cd "$work/usr" || exit 1
got=$(find include -name '*.h' -printf '%f\n' | sort | tr '\n' ' ')
[ -e share/cellpipe/routines/shlibdefs.h ] || fail "routines"
[ "$got" = 'cellpipe.h cellpipe_build.h ' ] || fail "headers: $got"
[ "$(bin/cellpipe --version)" = "$("$program" --version)" ] || fail "the program"
cmp -s "$top/docs/cellpipe.1" share/man/man1/cellpipe.1 || fail "the manual page"
cmp -s "$top/cli/completion.bash" share/bash-completion/completions/cellpipe || fail "the completion"
cmp -s "$top/cli/completion.zsh" share/zsh/site-functions/_cellpipe || fail "the completion of zsh"

license=$(find share/doc -name LICENSE)
cmp -s "$top/LICENSE" "$license" || fail "the licence"
for example in "$top"/docs/examples/*.c; do
    # shellcheck disable=SC2046
    cc "$(dirname "$license")/examples/$(basename "$example")" $(pkg-config --cflags --libs cellpipe) -lm \
        -o "$work/$(basename "$example" .c)" >"$work/log" 2>&1 || fail "the example $(basename "$example")"
done
# The installed library runs a host's own formats.
printf 'home 0 0 1\n' >"$work/a.places"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir cellpipe) "$work/own_format" "$work/a.places" "$work/b.places" 2>"$work/log" &&
    [ "$(cat "$work/b.places")" = 'home 0 0 1.5' ] || fail "a format of the host's own"
# Whoever has built the program alone, as ./bootstrap demo does, can install all.
if [ -e "$build/build.ninja" ] && command -v ninja >/dev/null; then
    ninja -C "$build" -t inputs cellpipe_program | grep -q 'libcellpipe\.so' || fail "the program is built without the library"
fi

# The library shows its public names and no others.
library=$(find . -name 'libcellpipe.so' | head -n 1)
others=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^cp_')
[ -z "$others" ] || fail "the library shows $others"
declared=$(grep -h -o -E '\bcp_[a-z_0-9]+\(' include/cellpipe.h include/cellpipe_build.h | tr -d '(' | sort -u)
for name in $declared; do
    nm -D --defined-only "$library" | grep -q " $name\$" || fail "$name is declared but not in the library"
done
[ $failed = 0 ]
