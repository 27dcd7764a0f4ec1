# What somebody types who does not know the program yet.
run() {
    echo "\$ cellpipe $*" >&2
    "$cellpipe" "$@"
    echo "exit $?" >&2
}
run convret part.stl part.glb
run part.stl part.wrl
run convert
run convert part.stl
run convert part.stl part.wrl part.glb
run convert missing.stl part.wrl
run convert . part.wrl
run convert part.stl part.xyz
run convert part.stl part.wrl --strit
run convert part.stl part.wrl --too vrml97
run convert part.stl part.wrl --from stll
run convert part.stl - --to vrml98
run convert part.stl part.wrl --in unti=mm
run convert part.stl part.wrl --in unit=miles
run convert part.stl part.wrl --in
run convert part.stl part.wrl --out up=x
run convert part.stl part.wrl ! wled
run convert part.stl part.wrl !
run convert part.stl part.wrl !weld
run convert part.stl part.wrl ! weld !simplify ratio=0.5
run convert part.stl part.wrl weld
run convert part.stl part.wrl weld tolerance=1mm
run convert part.stl -o part.wrl
run convert part.stl part.wrl -f glb
run convert part.stl part.wrl --output=x
run -V
run version
run convert part.stl part.wrl --json
run --to stl convert part.stl part.wrl
run info
run info part.stl cell.wu
run info part.stl --json --dump
run check closed
run diff part.stl
run diff part.stl part.stl tol=small
run diff part.stl part.stl tolerance=1
run formats part.stl
run help converts
run run read part.stl
run run read part.stl ! writ part.wrl
run weld tol=1 part.stl part.glb
run run write part.stl
run run read part.stl ! write
run weld part.stl part.wrl third.wrl
run weld tolerence=1 part.stl part.wrl
run formats --threads none
run formats --limit nodse=3
run formats --confine=perhaps
run formats --report
run formats --report -
run batch part.stl
run batch part.stl --out-dir web ! weld --jobs 2
ls
