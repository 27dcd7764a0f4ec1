# Makes the C source with what the exporter html puts into a page: cmake -DTHREE=... -DPAGE=... -DOUTPUT=... -P embed.cmake
# THREE: the files of three.js, PAGE: our folder page/. three.js and our code are one script, packed by xz; teach.js and
# live.js are another one, for pages of live cells alone; what unpacks them is a third one, as it stands.
set(code "")

# Adds a script without comments that take whole lines, and without indents: they are an eighth of a page. None of the
# texts has a template or string over several lines.
function(add_script file end)
  file(READ ${file} text)
  if(NOT file MATCHES "[.]min[.]js$")
    string(REGEX REPLACE "\n[ \t]+" "\n" text "\n${text}")
    string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "\n/[*]([^*]|[*]+[^*/])*[*]+/" "" text "${text}")
    string(REGEX REPLACE "\n\n+" "\n" text "${text}")
  endif()
  # A page says nothing on the console.
  string(REPLACE "console.log( 'THREE.GLTFLoader: Duplicating UVs to support aoMap.' );" "" text "${text}")
  set(code "${code}${text}${end}" PARENT_SCOPE)
endfunction()

foreach(file ${THREE})
  add_script(${file} "\n;\n")
endforeach()
foreach(name formula motion loops meshopt images edges cell draw widgets frames joints clips pairs pointer views address ui)
  add_script(${PAGE}/${name}.js "")
endforeach()
file(WRITE ${OUTPUT}.js "${code}")
file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.xz PATHS ${OUTPUT}.js FORMAT raw COMPRESSION XZ COMPRESSION_LEVEL 9)
set(code "")
foreach(name teach live)
  add_script(${PAGE}/${name}.js "")
endforeach()
file(WRITE ${OUTPUT}.live.js "${code}")
file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.live.xz PATHS ${OUTPUT}.live.js FORMAT raw COMPRESSION XZ COMPRESSION_LEVEL 9)
set(code "")
foreach(name xz boot)
  add_script(${PAGE}/${name}.js "")
endforeach()
file(WRITE ${OUTPUT}.boot.js "${code}")

# An array of bytes; no NUL follows.
function(add_array name file)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(....................................................................................................)" "\\1\n" bytes "${bytes}")
  set(source "${source}static const unsigned char ${name}[] = {\n${bytes}};\n" PARENT_SCOPE)
endfunction()

function(add_hash name file)
  file(SHA256 ${file} hash)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hash}")
  set(source "${source}static const unsigned char ${name}[32] = {${bytes}};\n" PARENT_SCOPE)
endfunction()

set(source "/* Made by cmake/embed.cmake. */\n#include <stddef.h>\n#include \"page.h\"\n\n")
add_array(code_xz ${OUTPUT}.xz)
add_array(live_xz ${OUTPUT}.live.xz)
add_array(boot ${OUTPUT}.boot.js)
add_array(style ${PAGE}/page.css)
add_array(markup ${PAGE}/page.html)
add_hash(code_hash ${OUTPUT}.js)
add_hash(live_hash ${OUTPUT}.live.js)
add_hash(boot_hash ${OUTPUT}.boot.js)
add_hash(style_hash ${PAGE}/page.css)
string(APPEND source "
const struct page_part page_code = {code_xz, sizeof code_xz, code_hash};
const struct page_part page_live = {live_xz, sizeof live_xz, live_hash};
const struct page_part page_boot = {boot, sizeof boot, boot_hash};
const struct page_part page_style = {style, sizeof style, style_hash};
const struct page_part page_markup = {markup, sizeof markup, NULL};
")
file(WRITE ${OUTPUT} "${source}")
