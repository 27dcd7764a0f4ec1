# For the scripts of this folder, with its path in `here` and that of the project in `top`: which fuzzers there are, and
# what they begin with.
importers='stl obj tag urdf rwxml srdf deneb_part deneb_cell collision_setup gltf 3mf amf off tri msh ply dxf ac3d vrml97 collada assimp'
# shellcheck disable=SC2034,SC2086 # used by them; words
all_fuzzers="fuzz_deneb_recording fuzz_xml fuzz_record fuzz_evidence fuzz_beside fuzz_isolate fuzz_mechanism fuzz_pattern fuzz_program fuzz_filters
fuzz_xacro_expression fuzz_xacro_yaml fuzz_login fuzz_messages fuzz_frames fuzz_rtde fuzz_simple fuzz_json_lines fuzz_joint_map fuzz_settings
$(printf 'fuzz_%s ' $importers)$(printf 'fuzz_read_%s ' $importers)"

# Two fuzzers of one importer have the same seeds.
importer_of() { # FUZZER
    name=${1#fuzz_}
    echo "${name#read_}"
}

# What a reader's process says: what restrains it, a question, an entry of its report, and the answer with four bytes of a scene.
write_talk() { # folder
    {
        printf '\1\0\0\0\4\0\0\0\7\0\0\0\3\0\0\0\6\0\0\0a.mtl\0'
        printf '\2\0\0\0\72\0\0\0\2\0\0\0\3\0\0\0\1\0\0\0\377\377\377\377\3\0\0\0\0\0\0\0'
        printf '\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0a-b\0f\0who\0'
        printf '\4\0\0\0\20\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0glTF'
    } >"$1/talk"
}

# What a robot of Universal Robots says: that it agrees, the types of our variables, that it starts, a text, and a sample.
write_rtde() { # folder
    {
        printf '\0\4V\1\0\40O\1DOUBLE,VECTOR6D,INT32,UINT32\0\4S\1\0\12M\2hi\2ur\3'
        printf '\0\104U\1\77\370\0\0\0\0\0\0'
        for digit in 0 1 2 3 4 5; do printf '\277\34%s\0\0\0\0\0' $digit; done
        printf '\0\0\0\1\0\0\0\2'
    } >"$1/talk"
    printf '\0\4V\1\0\43O\1DOUBLE,VECTOR6D,NOT_FOUND,UINT32' >"$1/missing"
}

# The header of simple_message and a body, in the order of the first word.
write_simple() { # folder
    {
        printf '\0\0\0\50\0\0\0\15\0\0\0\1\0\0\0\0\0\0\0\1\377\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\1'
        printf '\0\0\0\70\0\0\0\12\0\0\0\1\0\0\0\0\0\0\0\0'
        for digit in 0 1 2 3 4 5 6 7 0 0; do printf '\77\20%s\0' $digit; done
    } >"$1/big"
    {
        printf '\220\0\0\0\17\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\300\77'
        for digit in 0 1 2 3 4 5 6 7 0 0; do printf '\0\20%s\77' $digit; done
        head -c 80 /dev/zero
    } >"$1/little"
}

# The length of pieces, and frames of a browser with masks of zeros: a text, one in parts with a ping between, an end.
write_frames() { # folder
    printf '\3\201\205\0\0\0\0hello\1\202\0\0\0\0ab\211\201\0\0\0\0?\0\201\0\0\0\0c\200\200\0\0\0\0\210\202\0\0\0\0\3\350' >"$1/talk"
    printf '\11\201\376\0\176\0\0\0\0%126s\212\200\0\0\0\0' '' >"$1/long"
}

# Those of the tables of a unit test, each "TEXT => WHAT IT GIVES".
write_table() { # unit test, folder
    grep -o '"[^"]* => ' "$top/tests/unit/$1.c" | sed 's/^"//; s/ => $//' | sort -u | while read -r line; do
        printf '%b' "$line" >"$2/$(printf '%s' "$line" | cksum | cut -d' ' -f1)"
    done
}

# The seeds of a fuzzer: those of its importer's files that are small enough to change much in one go. A whole parallel machine
# takes half a minute with all checks: smaller mechanisms are among the cases.
collect_seeds() { # IMPORTER FOLDER
    case $1 in
    isolate)
        write_talk "$2"
        return
        ;;
    rtde)
        write_rtde "$2"
        return
        ;;
    frames)
        write_frames "$2"
        return
        ;;
    simple)
        write_simple "$2"
        return
        ;;
    xacro_expression)
        write_table test_xacro_expressions "$2"
        return
        ;;
    xacro_yaml)
        write_table test_xacro_yaml "$2"
        return
        ;;
    stl) names="*.stl" ;;
    obj) names="*.obj" ;;
    tag) names="*.wu *.dev *.wc" ;;
    deneb_part) names="*.dcp *.pdb" ;;
    deneb_cell) names="*.dcd *.dcw" ;;
    deneb_recording) names="*.dcr" ;;
    collision_setup) names="*.xml *.prox" ;;
    xml) names="*.xml *.dae" ;;
    evidence) names="*.xml.json" ;;
    record | json_lines) names="*.jsonl" ;;
    joint_map) names="*.map" ;;
    pattern) names="*.pattern" ;;
    gltf) names="*.glb *.gltf" ;;
    3mf) names="*.3mf *.model" ;; # a model on its own has no checksum to stop at
    amf) names="*.amf" ;;
    urdf) names="*.urdf *.xacro" ;;
    rwxml) names="*.wc.xml *.dwc.xml" ;;
    srdf) names="*.srdf" ;;
    beside) names="*.srdf *.srdf.xacro" ;;
    login) names="*.login" ;;
    settings) names="*.ini" ;;
    messages) names="*.messages" ;;
    program) names="*.prg *.csv *.jsonl" ;;
    filters | mechanism) names="*.stl *.xml" ;; # any bytes will do
    off) names="*.off" ;;
    tri) names="*.tri" ;;
    msh) names="*.msh" ;;
    ply) names="*.ply" ;;
    dxf) names="*.dxf" ;;
    vrml97) names="*.wrl *.wrz" ;;
    collada) names="*.dae *.zae" ;;
    ac3d) names="*.ac *.acc" ;;
    assimp) names="*.3ds *.x3d" ;;
    esac
    set -f # the names are not those of files here
    for name in $names; do
        find "$top/samples" "$top/tests/cases" "$here/seeds" -name "$name" -type f -size -32k ! -path '*/mechanisms/*' ! -name 'loop_many.*'
    done | while read -r file; do
        cp "$file" "$2/$(printf '%s' "$file" | cksum | cut -d' ' -f1)"
    done
    set +f
}
