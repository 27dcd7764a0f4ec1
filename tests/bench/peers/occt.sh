# Open CASCADE itself: it reads and tessellates, and writes nothing (../read_step.cpp).
package=libocct-data-exchange-dev
is_installed() { [ -x "$tools/read_step" ]; }
step() { exec "$tools/read_step" "$1"; }
step_folder() { for file in "$1"/*; do "$tools/read_step" "$file" || return; done; }
