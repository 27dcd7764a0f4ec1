# Sourced by bench.sh: do bodies meet, and how far apart are they, beside FCL where it was there when the tools were built.

measure_collisions() {
    say "collisions"
    code=0
    robots=$(mktemp -d)
    set --
    if "$top/tests/cells/write_robots.sh" "$robots" >&2; then
        set -- "$robots"/*.wu
    fi
    printf '\n### Collisions\n\n'
    "$tools/time_collide" --triangles $(((triangles + 49) / 50)) --poses $(((triangles + 49) / 50)) \
        --states $(((triangles + 99) / 100)) --rounds "$rounds" "$@" || code=$?
    rm -rf "$robots"
    [ "$code" = 0 ] || [ "$code" = 77 ] || printf '\n| wrong answers, exit %s |\n' "$code"
}
