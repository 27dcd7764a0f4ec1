// schema.mjs PROGRAM SCHEMA: what the schema of options says is what the parser does. Every default, choice and unit is
// accepted, and what lies outside the range, has another unit or is no such word is refused. No command gets as far as
// reading something: the inputs are not there.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"

const [, , program, path] = process.argv
const schema = JSON.parse(readFileSync(path, "utf8"))
const numbers = ["integer", "number", "ratio", "length", "angle", "time", "size", "extent"]
const seen = new Set()
let checks = 0, failures = 0

// What the program says against the value: "needs" another kind, it "must" lie elsewhere; or "" when it takes it.
function refusal(words) {
    const { stderr, signal } = spawnSync(program, words, { encoding: "utf8" })
    if (signal) return `killed by ${signal}`
    return /: error: .*: (needs|must) /.exec("x" + stderr)?.[1] ?? (/unknown|needs a value/.exec(stderr)?.[0] ?? "")
}

function check(words, wanted) {
    const said = refusal(words)
    checks++
    if (wanted.includes(said)) return
    failures++
    console.log(`FAILED: ${words.join(" ")}: "${said}", not "${wanted.join('" or "')}"`)
}

// give: the command line with the option set to a value.
function checkOption(option, give) {
    const { name, type, minimum, maximum } = option
    for (const key of ["name", "type", "value", "help"])
        if (typeof option[key] !== "string") { failures++; console.log(`FAILED: ${name} has no ${key}`) }
    if (option.default !== null) check(give(option.default), [""])
    for (const choice of option.choices ?? []) check(give(choice), [""])
    if (type === "boolean") check(give(option.default === "yes" ? "no" : "yes"), [""])
    if (option.choices || type === "boolean" || type === "unit") check(give("parrots"), ["needs"])
    const units = seen.has(type) ? [] : option.units ?? [] // test_options.sh has them in every place
    seen.add(type)
    if (type === "unit") for (const unit of units) check(give(unit), [""])
    if (type === "pixels") {
        for (const wrong of ["512", "512x", "x512", "5x5x5", "-1x5", "5x5mm"]) check(give(wrong), ["needs"])
        check(give(`${minimum}x${maximum}`), [""])
        check(give(`${maximum + 1}x${maximum}`), ["must"])
        check(give(`${maximum}x${minimum - 1}`), ["must"])
        check(give("99999999999999999999x1"), ["must"])
    }
    if (type === "colour") {
        for (const wrong of ["white", "", "#", "#12", "#1234", "#12345", "#1234567", "#ggg", "#ffg", "fff", "None", "#fff "])
            check(give(wrong), ["needs"])
        for (const right of ["none", "#fA9", "#0aF0Bc"]) check(give(right), [""])
    }
    if (!numbers.includes(type)) return
    check(give("1parrots"), ["needs"])
    for (const unit of units) check(give("1" + unit), ["", "must"])
    if (minimum === undefined) return
    const step = type === "integer" || type === "size" ? 1 : Math.max(Math.abs(minimum), 1) / 1000
    check(give(String(minimum)), [""])
    check(give(String(minimum - step)), ["must"])
    if (maximum === null) return
    check(give(String(maximum)), [""])
    check(give(String(Math.ceil(maximum * 1.001 + 1))), ["must"])
}

const commands = {
    convert: ["convert", "gone.stl", "out.glb"], batch: ["batch", "gone.stl", "--out-dir", "none", "--dry-run"],
    run: ["run", "read", "gone.stl", "!", "write", "out.glb"], FILTER: ["weld", "gone.stl", "out.glb"],
    info: ["info", "gone.stl"], check: ["check", "gone.stl"], diff: ["diff", "gone.stl", "lost.stl"],
    collide: ["collide", "gone.wu"], fk: ["fk", "gone.wu"], ik: ["ik", "gone.wu", "pose=0,0,0,0,0,0"],
    manifest: ["manifest", "gone.stl"], merge: ["merge", "gone"], report: ["report", "gone"], gallery: ["gallery", "gone"], sheet: ["sheet", "gone.stl", "out.png"],
    serve: ["serve", "gone.wu", "--listen", "unix:none/socket"], users: ["users", "gone", "list"],
    igrip2vrml: ["igrip2vrml", "gone.dcp", "out.wrl"],
    formats: ["formats"], filters: ["filters"], help: ["help", "flags"],
}
const outputs = { vrml97: "wrl", "collision-setup": "xml", "deneb-recording": "dcr", dump: "txt" }

for (const option of schema.flags) checkOption(option, value => [...commands.convert, `${option.name}=${value}`])
for (const { name, options } of schema.commands) {
    if (!commands[name]) { failures++; console.log(`FAILED: no words for the command ${name}`); continue }
    for (const option of options) checkOption(option, value => [...commands[name], `${option.name}=${value}`])
}
for (const { name, options } of schema.importers)
    for (const option of options)
        checkOption(option, value => ["convert", "gone.in", "out.glb", "--from", name, "--in", `${option.name}=${value}`])
for (const { name, options } of schema.exporters)
    for (const option of options)
        checkOption(option, value =>
            ["convert", "gone.stl", `out.${outputs[name] ?? name}`, "--to", name, "--out", `${option.name}=${value}`])
for (const { name, options } of schema.filters)
    for (const option of options) checkOption(option, value => [name, `${option.name}=${value}`, "gone.wu", "out.glb"])
for (const option of schema.limits) checkOption(option, value => [...commands.convert, "--limit", `${option.name}=${value}`])

console.log(`${checks} checks of ${schema.commands.length} commands, ${failures} failures`)
process.exit(failures > 0 || checks < 600 ? 1 : 0)
