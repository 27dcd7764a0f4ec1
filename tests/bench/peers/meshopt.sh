# meshoptimizer's simplifier alone, as the library of this machine has it.
package=libmeshoptimizer-dev
is_installed() { [ -x "$tools/simplify_meshopt" ]; }
simplify() { exec "$tools/simplify_meshopt" "$1" "$2" "$3"; }
