# awk -v kind=KIND -f make_grid.awk: a torus of 450 x 450 vertices as text, for time_read.
#   full: OBJ with v/vt/vn, triangles   scan: OBJ with v//vn, triangles   quads: OBJ of polygons   off: OFF of polygons
#   parts: OBJ of 15000 boxes, each an object of six polygons with a normal each
function corner(n) {
    return kind == "full" ? n "/" n "/" n : kind == "scan" ? n "//" n : n
}
function write_parts(    part, i, k, q, face) {
    split("1 2 4 3 5 7 8 6 1 5 6 2 3 4 8 7 1 3 7 5 2 6 8 4", q)
    for (part = 0; part < 15000; part++) {
        printf "o part_%d\n", part
        for (i = 0; i < 8; i++)
            printf "v %.6f %.6f %.6f\n", part * 1.37 % 50 + int(i / 4), part * 2.11 % 50 + int(i / 2) % 2,
                i % 2 - part * 0.7 % 50
        for (i = 0; i < 6; i++)
            printf "vn %.4f %.4f %.4f\n", i == 1 ? 1 : -(i == 0), i == 3 ? 1 : -(i == 2), i == 5 ? 1 : -(i == 4)
        for (i = 0; i < 6; i++) {
            face = "f"
            for (k = 1; k <= 4; k++)
                face = face " " 8 * part + q[4 * i + k] "//" 6 * part + i + 1
            print face
        }
    }
}
BEGIN {
    if (kind == "parts") {
        write_parts()
        exit
    }
    side = 450
    v = kind == "off" ? "" : "v "
    if (kind == "off")
        printf "OFF\n%d %d 0\n", side * side, (side - 1) * (side - 1)
    for (i = 0; i < side; i++)
        for (k = 0; k < side; k++) {
            a = i / 100; b = k / 50; r = 3 + cos(b)
            printf "%s%.6f %.6f %.6f\n", v, cos(a) * r, sin(a) * r, sin(b)
            if (kind == "full")
                printf "vt %.6f %.6f\n", i / side, k / side
            if (kind == "full" || kind == "scan")
                printf "vn %.6f %.6f %.6f\n", cos(a) * cos(b), sin(a) * cos(b), sin(b)
        }
    for (i = 0; i < side - 1; i++)
        for (k = 0; k < side - 1; k++) {
            n = i * side + k + (kind != "off")
            if (kind == "off")
                print 4, n, n + side, n + side + 1, n + 1
            else if (kind == "quads")
                print "f", n, n + side, n + side + 1, n + 1
            else
                printf "f %s %s %s\nf %s %s %s\n", corner(n), corner(n + side), corner(n + side + 1), corner(n),
                    corner(n + side + 1), corner(n + 1)
        }
}
