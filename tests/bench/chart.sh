#!/bin/sh
# chart.sh PAGE.md [WHAT [BETTER]] >CHART.svg: draws the summary that bench.sh prints: WHAT of other programs (Time), and how
# cellpipe is where the bar is longer (faster). A job's dark bar ends at its fastest peer, the
# pale one at its slowest; each small line is a peer. The axis is logarithmic; 1 is cellpipe. Without a summary it ends
# with 1.
LC_ALL=C exec awk -v what="${2:-Time}" -v better="${3:-faster}" '
    function x(ratio) { return left + width * (log(ratio) - log(low)) / (log(high) - log(low)) }
    function bar(class, from, to, y) {
        if (from > to) { swap = from; from = to; to = swap }
        printf "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"12\"/>\n",
            class, x(from), y, x(to) - x(from)
    }
    function text(class, at, y, what) {
        gsub(/&/, "\\&amp;", what)
        gsub(/</, "\\&lt;", what)
        printf "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n", class, at, y, what
    }

    BEGIN { FS = " *[|] *"; low = 1; high = 10 }
    /^###/ { inside = /^### Summary/ }
    inside && $4 ~ /[0-9]$/ {
        count = split($4, words, /, /)
        job[++jobs] = $2
        for (i = 1; i <= count; i++) {
            ratio[jobs, i] = words[i]
            sub(/.* /, "", ratio[jobs, i])
            ratio[jobs, i] += 0
            while (ratio[jobs, i] < low) low /= 2
            while (ratio[jobs, i] > high) high *= 2
        }
        peers[jobs] = count
        label[jobs] = words[1] (count > 1 ? " to " words[count] : "")
    }
    END {
        if (!jobs) exit 1
        left = 405; width = 310; top = 62; step = 26
        bottom = top + jobs * step
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"930\" height=\"%d\" ", bottom + 12
        printf "viewBox=\"0 0 930 %d\" role=\"img\">\n", bottom + 12
        print "<title>" what " of other programs, as a multiple of that of cellpipe</title>"
        print "<style>"
        print "text { font: 13px sans-serif; fill: #1f2328 } .title { font-weight: bold } .axis { fill: #59636e }"
        print ".axis { text-anchor: middle } .page { fill: #ffffff } .line { stroke: #d1d9e0 } .one { stroke: #59636e }"
        print ".near { fill: #0969da } .far { fill: #b6d7fb } .slow { fill: #bc4c00 } .peer { fill: #54708f }"
        print "@media (prefers-color-scheme: dark) {"
        print "text { fill: #e6edf3 } .axis { fill: #9198a1 } .page { fill: #0d1117 } .line { stroke: #30363d }"
        print ".one { stroke: #9198a1 } .near { fill: #4493f8 } .far { fill: #1d3f6b } .slow { fill: #f0883e }"
        print ".peer { fill: #9cb8d9 } }"
        print "</style>"
        printf "<rect class=\"page\" width=\"930\" height=\"%d\" rx=\"6\"/>\n", bottom + 12
        text("title", 12, 24,
            what " of other programs, as a multiple of cellpipe\047s (longer bar: cellpipe is " better ")")
        for (power = 0.01; power <= high; power *= 10)
            for (digit = 1; digit <= 5; digit = digit == 1 ? 2 : digit + 3) {
                tick = power * digit
                if (tick < low * 0.999 || tick > high * 1.001) continue
                class = (tick > 0.999 && tick < 1.001) ? "one" : "line"
                printf "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
                    class, x(tick), top - 4, x(tick), bottom
                text("axis", x(tick), top - 10, sprintf("%g", tick))
            }
        for (row = 1; row <= jobs; row++) {
            y = top + (row - 1) * step + 6
            last = peers[row]
            near = ratio[row, 1]; far = ratio[row, last]
            text("job", 12, y + 11, job[row])
            if (far > near && far > 1) bar("far", near > 1 ? near : 1, far, y)
            bar(near < 1 ? "slow" : "near", 1, near, y)
            for (i = 2; i < last; i++)
                printf "<rect class=\"peer\" x=\"%.1f\" y=\"%d\" width=\"1.5\" height=\"12\"/>\n",
                    x(ratio[row, i]) - 0.75, y
            text("peers", left + width + 14, y + 11, label[row])
        }
        print "</svg>"
    }' "$1"
