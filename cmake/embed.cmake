# Makes the C source with what the exporter html puts into a page: cmake -DTHREE=... -DPAGE=... -DOUTPUT=... -P embed.cmake
# THREE: the files of three.js, PAGE: our folder page/. three.js and our code are one script, packed by xz; teach.js and
# live.js are another one, for pages of live cells alone; what unpacks them is a third one, as it stands. The page of a
# batch has a script and a style of its own.
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
# Scripts that stand in a page as they are, and style sheets.
function(join_scripts file)
  set(code "")
  foreach(name ${ARGN})
    add_script(${PAGE}/${name}.js "")
  endforeach()
  file(WRITE ${file} "${code}")
endfunction()
function(join_styles file)
  set(text "")
  foreach(name ${ARGN})
    file(READ ${PAGE}/${name}.css part)
    string(APPEND text "${part}")
  endforeach()
  file(WRITE ${file} "${text}")
endfunction()
join_scripts(${OUTPUT}.boot.js xz unpack boot)
join_scripts(${OUTPUT}.batch.js unpack widgets rows list gallery batch)
join_styles(${OUTPUT}.css theme page)
join_styles(${OUTPUT}.batch.css theme batch)

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
add_array(style ${OUTPUT}.css)
add_array(batch_script_text ${OUTPUT}.batch.js)
add_array(batch_style_text ${OUTPUT}.batch.css)
add_array(batch_markup_text ${PAGE}/batch.html)
add_array(markup ${PAGE}/page.html)
add_hash(code_hash ${OUTPUT}.js)
add_hash(live_hash ${OUTPUT}.live.js)
add_hash(boot_hash ${OUTPUT}.boot.js)
add_hash(style_hash ${OUTPUT}.css)
add_hash(batch_script_hash ${OUTPUT}.batch.js)
add_hash(batch_style_hash ${OUTPUT}.batch.css)
string(APPEND source "
const struct page_part page_code = {code_xz, sizeof code_xz, code_hash};
const struct page_part page_live = {live_xz, sizeof live_xz, live_hash};
const struct page_part page_boot = {boot, sizeof boot, boot_hash};
const struct page_part page_style = {style, sizeof style, style_hash};
const struct page_part page_markup = {markup, sizeof markup, NULL};
const struct page_part batch_script = {batch_script_text, sizeof batch_script_text, batch_script_hash};
const struct page_part batch_style = {batch_style_text, sizeof batch_style_text, batch_style_hash};
const struct page_part batch_markup = {batch_markup_text, sizeof batch_markup_text, NULL};
")
file(WRITE ${OUTPUT} "${source}")
