// Closed loops: the values of free joints at which they close, and the way from one closed pose to another without a
// change of assembly. The algorithm is that of scene/motion/loops, whose comments say more: Levenberg and Marquardt's
// steps by QR with column pivoting, and a walk that predicts along the null space, corrects, and halves steps that are
// in doubt. Matrices of derivatives are arrays of columns. Whole turns are walked, not counted.
(function (page) {
    'use strict';

    // ---- linear algebra ----

    function dot(a, b, from = 0) {
        let sum = 0;
        for (let i = from; i < a.length; i++)
            sum += a[i] * b[i];
        return sum;
    }

    function addTimes(to, factor, other, from = 0) {
        for (let i = from; i < to.length; i++)
            to[i] += factor * other[i];
    }

    const copyColumns = columns => columns.map(column => Float64Array.from(column));

    // Factorises columns into Q R, in place. R has `diagonal`, and the columns in the order of `order` above it; the
    // vector is multiplied by Q^T.
    function factorise(columns, rows, vector) {
        const n = columns.length, order = columns.map((column, i) => i), diagonal = new Float64Array(n);
        const squareOf = (column, k) => dot(column, column, k);
        for (let k = 0; k < n && k < rows; k++) {
            let best = k, most = -1;
            for (let c = k; c < n; c++) {
                const square = squareOf(columns[order[c]], k);
                if (square > most) {
                    best = c;
                    most = square;
                }
            }
            [order[k], order[best]] = [order[best], order[k]];
            if (!(most > 0))
                break;
            const column = columns[order[k]], head = column[k] > 0 ? -Math.sqrt(most) : Math.sqrt(most);
            column[k] -= head;
            const square = squareOf(column, k);
            const reflect = other => addTimes(other, -2 * dot(column, other, k) / square, column, k);
            for (let c = k + 1; c < n; c++)
                reflect(columns[order[c]]);
            if (vector)
                reflect(vector);
            diagonal[k] = head;
        }
        return { columns, rows, order, diagonal };
    }

    // The element of R in a row and a column, by the columns' order.
    const element = ({ columns, order, diagonal }, row, c) => (c === row ? diagonal[row] : columns[order[c]][row]);

    const dependent = 1e-6; // parts of derivatives below this are noise: geometry in files has few digits
    function rankOf({ diagonal, rows }) {
        const least = dependent * Math.max(Math.abs(diagonal[0]), 1e-3);
        let rank = 0;
        while (rank < diagonal.length && rank < rows && Math.abs(diagonal[rank]) > least)
            rank++;
        return rank;
    }

    // The vector of the null space in which the dependent column number `which` has 1.
    function findNull(factors, rank, which) {
        const { columns, order, diagonal } = factors, x = new Float64Array(columns.length);
        x[order[rank + which]] = 1;
        for (let i = rank; i-- > 0;) {
            let sum = columns[order[rank + which]][i];
            for (let c = i + 1; c < rank; c++)
                sum += columns[order[c]][i] * x[order[c]];
            x[order[i]] = -sum / diagonal[i];
        }
        return x;
    }

    // The shortest x, so that columns by x is as near to `right` as the rank allows. Both are overwritten.
    function solveLinear(columns, rows, right) {
        const factors = factorise(columns, rows, right), { order, diagonal } = factors, rank = rankOf(factors);
        const x = new Float64Array(columns.length), nulls = [];
        for (let i = rank; i-- > 0;) {
            let sum = right[i];
            for (let c = i + 1; c < rank; c++)
                sum -= columns[order[c]][i] * x[order[c]];
            x[order[i]] = sum / diagonal[i];
        }
        // Gram and Schmidt's method; x loses its part in the null space.
        for (let k = 0; k < columns.length - rank; k++) {
            const vector = findNull(factors, rank, k);
            for (const other of nulls)
                addTimes(vector, -dot(other, vector) / dot(other, other), other);
            nulls.push(vector);
            addTimes(x, -dot(vector, x) / dot(vector, vector), vector);
        }
        return { x, rank, factors };
    }

    // The step of least |J step + r|^2 + damping |step|^2, where the vector is Q^T r: rows sqrt(damping) e_j are added
    // to R by plane rotations.
    function dampedStep(factors, vector, damping) {
        const n = factors.diagonal.length, known = Math.min(n, factors.rows), triangle = new Float64Array(n * n);
        const right = new Float64Array(n), row = new Float64Array(n), step = new Float64Array(n), order = factors.order;
        for (let i = 0; i < known; i++) {
            right[i] = -vector[i];
            for (let c = i; c < n; c++)
                triangle[i * n + c] = element(factors, i, c);
        }
        for (let j = 0; j < n && damping > 0; j++) {
            let own = 0;
            row.fill(0);
            row[j] = Math.sqrt(damping);
            for (let i = j; i < n; i++) {
                if (row[i] === 0)
                    continue;
                const line = i * n, length = Math.sqrt(triangle[line + i] * triangle[line + i] + row[i] * row[i]);
                const cosine = triangle[line + i] / length, sine = row[i] / length, upper = right[i];
                for (let c = i; c < n; c++) {
                    const above = triangle[line + c];
                    triangle[line + c] = cosine * above + sine * row[c];
                    row[c] = cosine * row[c] - sine * above;
                }
                right[i] = cosine * upper + sine * own;
                own = cosine * own - sine * upper;
            }
        }
        for (let i = n; i-- > 0;) {
            let sum = right[i];
            for (let c = i + 1; c < n; c++)
                sum -= triangle[i * n + c] * step[order[c]];
            step[order[i]] = triangle[i * n + i] !== 0 ? sum / triangle[i * n + i] : 0;
        }
        return step;
    }

    // The sum of squares that the linear model predicts after a step.
    function modelSquare(factors, vector, step) {
        const n = step.length, known = Math.min(n, factors.rows);
        let sum = 0;
        for (let i = 0; i < factors.rows; i++) {
            let value = vector[i];
            for (let c = i; c < n && i < known; c++)
                value += element(factors, i, c) * step[factors.order[c]];
            sum += value * value;
        }
        return sum;
    }

    // Moves x to the place nearby where the sum of squares is least. evaluate(x) gives { residuals, jacobian }. Returns
    // the length of the residuals there.
    function leastSquares(evaluate, x) {
        const n = x.length;
        let now = evaluate(x), square = dot(now.residuals, now.residuals), damping = 1e-2;
        const rows = now.residuals.length, exact = 1e-26 * (rows + 1);
        for (let steps = 0; steps < 100 && square > exact; steps++) {
            const vector = now.residuals, factors = factorise(now.jacobian, rows, vector), { diagonal } = factors;
            let better = false;
            for (let tries = 0; tries < 30 && !better; tries++) {
                const isPlain = tries === 0 && square < 1e-2 && rows >= n &&
                    Math.abs(diagonal[n - 1]) > 1e-6 * Math.abs(diagonal[0]);
                const step = dampedStep(factors, vector, isPlain ? 0 : damping * square);
                const most = step.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
                for (let i = 0; i < n && most > 0.5; i++)
                    step[i] *= 0.5 / most;
                const promised = square - modelSquare(factors, vector, step);
                if (!(promised > 1e-15 * square) || most < Number.EPSILON)
                    return Math.sqrt(square); // a minimum: nothing nearby is better
                const next = x.map((value, i) => value + step[i]), there = evaluate(next);
                const nextSquare = dot(there.residuals, there.residuals), gain = (square - nextSquare) / promised;
                better = gain > 1e-4;
                damping = Math.max(gain < 0.25 ? 4 * damping : gain > 0.75 ? damping / 10 : damping, 1e-8);
                if (better) {
                    x.set(next);
                    now = there;
                    square = nextSquare;
                }
            }
            if (!better)
                break;
        }
        return Math.sqrt(square);
    }

    // ---- which joints move which loops ----

    const rowCounts = { spherical: 3, revolute: 6, universal: 4, cylindrical: 5, prismatic: 8, fixed: 9, distance: 1 };

    // The joints between each of a loop's frames and the nearest node above both, as terms: { joint, column (an
    // independent joint that it follows), sign, slope (undefined: a formula) }. held: gets those that equal limits
    // hold.
    function findTerms(cell, loop, levels, held) {
        const terms = [], at = loop.tails.slice();
        const add = (joint, leader, sign, slope) => {
            if (!cell.joints[leader].driven && !cell.joints[leader].isFree)
                held.add(leader);
            else
                terms.push({ joint, column: leader, sign, slope });
        };
        while (at[0] !== at[1]) {
            const side = levels[at[0]] >= levels[at[1]] ? 0 : 1, sign = side === 0 ? 1 : -1;
            const node = cell.nodes[at[side]], joint = cell.joints[node.joint];
            if (node.parent < 0)
                throw new Error(`loop "${loop.name}" joins two trees`);
            at[side] = node.parent;
            if (!joint || joint.type === 'fixed')
                continue;
            if (joint.type === 'scale')
                throw new Error(`loop "${loop.name}" joins what joint "${joint.name}" scales`);
            if (joint.evaluate)
                joint.expression.inputs.forEach(input => add(joint.index, input, sign, undefined));
            else
                add(joint.index, joint.dependent ? joint.master : joint.index, sign, joint.dependent ? joint.scale : 1);
        }
        return terms;
    }

    // Loops that share joints are a group: they are solved together. Its columns are independent joints, free ones
    // first.
    function findGroups(cell, held) {
        const levels = new Int32Array(cell.nodes.length), groups = [];
        for (const i of cell.order)
            levels[i] = cell.nodes[i].parent < 0 ? 0 : levels[cell.nodes[i].parent] + 1;
        for (const loop of cell.loops) {
            const own = { loop, terms: findTerms(cell, loop, levels, held), firstRow: 0 }, group = { loops: [own] };
            const columns = new Set(own.terms.map(term => term.column));
            const shares = other => other.loops.some(it => it.terms.some(term => columns.has(term.column)));
            for (let i = groups.length; i-- > 0;)
                if (shares(groups[i]))
                    group.loops.unshift(...groups.splice(i, 1)[0].loops);
            groups.push(group);
        }
        for (const group of groups) {
            const joints = [...new Set(group.loops.flatMap(own => own.terms.map(term => term.column)))];
            const free = joints.filter(joint => cell.joints[joint].isFree);
            group.columns = [...free, ...joints.filter(joint => !cell.joints[joint].isFree)];
            group.freeCount = free.length;
            group.rows = 0;
            for (const own of group.loops) {
                own.firstRow = group.rows;
                group.rows += rowCounts[own.loop.type];
                own.terms.forEach(term => {
                    term.column = group.columns.indexOf(term.column);
                });
            }
            const needed = new Set();
            for (const own of group.loops)
                for (const tail of own.loop.tails)
                    for (let at = tail; at >= 0 && !needed.has(at); at = cell.nodes[at].parent)
                        needed.add(at);
            group.nodes = cell.order.filter(i => needed.has(i));
            group.rank = 0;
        }
        return groups;
    }

    // ---- differences and derivatives ----

    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const dot3 = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    const times = (factor, a) => [factor * a[0], factor * a[1], factor * a[2]];
    const columnOf = (m, c) => [m[4 * c], m[4 * c + 1], m[4 * c + 2]];

    // The rows of a loop: the differences of its ends, places in units of `length`. Directions differ by the chord
    // between them. motion: undefined for the values, else their derivatives when `side` moves so.
    function loopRows(loop, ends, length, motion, side) {
        const sign = side === 0 ? 1 : -1, apart = minus(ends[0].origin, ends[1].origin);
        const chord = key => (motion ? times(sign, motion[key]) : minus(ends[0][key], ends[1][key]));
        switch (loop.type) {
        case 'distance': {
            const distance = Math.sqrt(dot3(apart, apart));
            if (!motion)
                return [(distance - loop.length) / length];
            return [distance > 0 ? sign * dot3(motion.origin, apart) / (distance * length) : 0];
        }
        case 'cylindrical':
        case 'prismatic': { // across the first frame's Z
            const across = ['x', 'y'].map(key => (motion ? sign * dot3(motion.origin, ends[0][key]) +
                (side === 0 ? dot3(apart, motion[key]) : 0) : dot3(apart, ends[0][key])) / length);
            return [...across, ...chord('z'), ...(loop.type === 'prismatic' ? chord('x') : [])];
        }
        case 'universal':
            return [...times(1 / length, chord('origin')),
                motion ? dot3(motion.z, ends[1 - side].z) : dot3(ends[0].z, ends[1].z)];
        case 'spherical':
            return times(1 / length, chord('origin'));
        default: // revolute and fixed
            return [...times(1 / length, chord('origin')), ...chord('z'), ...(loop.type === 'fixed' ? chord('x') : [])];
        }
    }

    // The solver of a cell: the values of all joints, and the places of the nodes of the group that was placed last.
    function makeSolver(cell, values) {
        const worlds = cell.nodes.map(() => new Float64Array(16)), moved = new Float64Array(16);
        const axes = [], origins = []; // of joints
        const rests = cell.nodes.map(node => (node.joint < 0 ? page.restMatrix(node) : undefined));
        const unitOf = (group, column) => (cell.joints[group.columns[column]].type === 'prismatic' ? group.length : 1);

        function place(group) {
            for (const i of group.nodes) {
                const { parent, joint } = cell.nodes[i];
                if (joint >= 0) {
                    const it = cell.joints[joint], above = worlds[parent], [x, y, z] = it.direction;
                    values[joint] = page.jointValue(it, values);
                    axes[joint] = [0, 1, 2].map(row => above[row] * x + above[4 + row] * y + above[8 + row] * z);
                    origins[joint] = columnOf(above, 3);
                }
                const local = rests[i] || page.jointMatrix(cell.joints[joint], values[joint], moved);
                if (parent < 0)
                    worlds[i].set(local);
                else
                    page.multiply(worlds[parent], local, worlds[i]);
            }
        }

        const endsOf = loop => loop.tails.map((tail, side) => {
            const m = page.multiply(worlds[tail], loop.poses[side], new Float64Array(16));
            return { x: columnOf(m, 0), y: columnOf(m, 1), z: columnOf(m, 2), origin: columnOf(m, 3) };
        });

        // The group's size: the diagonal of a box around its loops' ends and joints.
        function measure(group) {
            const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
            place(group);
            const points = group.loops.flatMap(own =>
                [...endsOf(own.loop).map(end => end.origin), ...own.terms.map(term => origins[term.joint])]);
            for (const point of points)
                for (let k = 0; k < 3; k++) {
                    low[k] = Math.min(low[k], point[k]);
                    high[k] = Math.max(high[k], point[k]);
                }
            const length = Math.hypot(...minus(high, low));
            group.length = length > 1e-9 && Number.isFinite(length) ? length : 1;
        }

        function slopeOf(term, leader) {
            if (term.slope !== undefined)
                return term.slope;
            const joint = cell.joints[term.joint], value = values[leader], step = 1e-5;
            values[leader] = value + step;
            const after = page.jointValue(joint, values);
            values[leader] = value - step;
            const before = page.jointValue(joint, values);
            values[leader] = value;
            return (after - before) / (2 * step);
        }

        // Differences and their derivatives by the first `count` columns, at the present values.
        function evaluate(group, count) {
            const residuals = new Float64Array(group.rows);
            const jacobian = Array.from({ length: count }, () => new Float64Array(group.rows));
            place(group);
            for (const { loop, terms, firstRow } of group.loops) {
                const ends = endsOf(loop);
                residuals.set(loopRows(loop, ends, group.length), firstRow);
                for (const term of terms.filter(({ column }) => column < count)) {
                    const side = term.sign < 0 ? 1 : 0, axis = axes[term.joint], end = ends[side], still = [0, 0, 0];
                    const slides = cell.joints[term.joint].type === 'prismatic';
                    const turn = vector => (slides ? still : cross(axis, vector));
                    const motion = { origin: slides ? axis : cross(axis, minus(end.origin, origins[term.joint])),
                        x: turn(end.x), y: turn(end.y), z: turn(end.z) };
                    const scale = slopeOf(term, group.columns[term.column]) * unitOf(group, term.column);
                    loopRows(loop, ends, group.length, motion, side).forEach((value, row) => {
                        jacobian[term.column][firstRow + row] += scale * value;
                    });
                }
            }
            return { residuals, jacobian };
        }

        // How far the worst loop is from closed, in parts of the group's size and radians.
        function findGap(group) {
            place(group);
            const gapOf = loop => Math.hypot(...loopRows(loop, endsOf(loop), group.length));
            return Math.max(...group.loops.map(({ loop }) => gapOf(loop)));
        }

        // Goes to a nearby pose that is as near to closed as possible, and returns how far that is from closed.
        function closeGroup(group) {
            const count = group.freeCount, units = group.columns.map((_, i) => unitOf(group, i));
            const x = Float64Array.from({ length: count }, (_, i) => values[group.columns[i]] / units[i]);
            const give = from => {
                for (let i = 0; i < count; i++)
                    values[group.columns[i]] = from[i] * units[i];
            };
            const off = count === 0 ? Infinity : leastSquares(from => {
                give(from);
                return evaluate(group, count);
            }, x);
            give(x);
            return off <= tolerance ? off : findGap(group);
        }

        const keepValues = group => Float64Array.from(group.columns, joint => values[joint]);
        const giveValues = (group, kept) => group.columns.forEach((joint, i) => {
            values[joint] = kept[i];
        });
        return { values, unitOf, place, endsOf, measure, evaluate, findGap, closeGroup, keepValues, giveValues };
    }

    // ---- the walk: scene/motion/loops/walk.c tells why each number is as it is ----

    const tolerance = 1e-6;
    const longestStep = 0.25, longestPrediction = 0.5, shortestStep = 1e-6;
    const small = 0.1, noise = 1e-9, regular = 1e-4, exact = 3e-13, unknown = 1e-6;
    const nearer = 0.2, beyond = 0.2, near = 1e-4, longestOver = 0.02;
    const mostAsides = 4, mostTries = 3000; // a page that waits longer seems to be dead

    // Goes from the group's last regular pose straight to `goal`, the values of its driven columns. Returns true if it
    // gets there. The group is then closed at group.closedAt: there, or at the last pose on the way. The next way
    // begins at group.regularAt: they differ where two assemblies meet, as the last pose may belong to either.
    function walk(solver, group, goal) {
        const { values } = solver, { columns, freeCount: free } = group, count = columns.length;
        const begin = group.regularAt, units = columns.map((_, i) => solver.unitOf(group, i));
        // The way of each driven column, and the longest one.
        const way = Float64Array.from(goal, (value, i) => (i < free ? 0 : (value - begin[i]) / units[i]));
        const { stop } = group;
        const length = way.reduce((longest, part) => Math.max(longest, Math.abs(part)), 0);
        let regularPose, nearPoses, tries = 0;

        const drivenValue = (i, at) => (at === 1 ? goal[i] : begin[i] + at * (goal[i] - begin[i]));
        const stepLength = (from, part) => part * Math.sqrt(length * length + dot(from.tangent, from.tangent));

        // A closed pose on the way, with its derivatives and the speeds of free columns along the whole way.
        function lookAround(at) {
            return { at, values: solver.keepValues(group), jacobian: solver.evaluate(group, count).jacobian };
        }
        function findTangent(stand) {
            const right = new Float64Array(group.rows);
            for (let i = free; i < count; i++)
                addTimes(right, -(goal[i] - begin[i]) / units[i], stand.jacobian[i]);
            const { x, rank, factors } = solveLinear(copyColumns(stand.jacobian.slice(0, free)), group.rows, right);
            group.rank = Math.max(group.rank, rank);
            Object.assign(stand, { tangent: x, rank, factors, least: 1, regular: 1 });
            if (group.rank > 0) {
                stand.least = Math.abs(factors.diagonal[group.rank - 1]);
                stand.regular = Math.abs(stand.least / factors.diagonal[0]);
            }
            return stand;
        }
        function findChange(from, to) {
            let sum = 0;
            for (let i = 0; i < free; i++)
                for (let row = 0; row < group.rows; row++)
                    sum += (to.jacobian[i][row] - from.jacobian[i][row]) ** 2;
            return Math.sqrt(sum);
        }
        // The sign of det(A^T B) of the columns that determine the first pose: below 0, one singular value changed its
        // sign.
        function isTurned(from, to) {
            const n = from.rank, chosen = from.factors.order.slice(0, n);
            const square = chosen.map(i => Float64Array.from(chosen, k => dot(from.jacobian[i], to.jacobian[k])));
            let turned = false;
            for (let i = 0; i < n; i++) {
                let best = i;
                for (let k = i + 1; k < n; k++)
                    best = Math.abs(square[k][i]) > Math.abs(square[best][i]) ? k : best;
                [square[i], square[best]] = [square[best], square[i]];
                const pivot = square[i][i];
                turned = turned !== ((best !== i) !== (pivot < 0));
                for (let k = i + 1; k < n && pivot !== 0; k++)
                    addTimes(square[k], -square[k][i] / pivot, square[i], i);
            }
            return turned;
        }

        // Tries a step to a part of the way; a correction longer than `part` of it is too long. Returns { outcome, to
        // }.
        function tryStep(from, at, part) {
            const step = at - from.at, way = stepLength(from, step);
            tries++;
            if (way > longestPrediction)
                return { outcome: 'long' };
            columns.forEach((joint, i) => {
                values[joint] = i < free ? from.values[i] + step * from.tangent[i] * units[i] : drivenValue(i, at);
            });
            const predicted = columns.slice(0, free).map(joint => values[joint]), gap = solver.closeGroup(group);
            if (!(gap <= tolerance))
                return { outcome: 'open' };
            const off = Math.hypot(...predicted.map((value, i) => (values[columns[i]] - value) / units[i]));
            if (!(off <= part * way + noise))
                return { outcome: 'far' };
            const to = lookAround(at), change = findChange(from, to), closed = gap <= exact * Math.sqrt(group.rows + 1);
            const like = change < 0.3 * from.least; // no singular value comes near 0
            findTangent(to);
            if (like && at === 1 && closed)
                return { outcome: 'good', to: Object.assign(to, { regular: from.regular }) };
            if (!closed && to.regular < regular)
                return { outcome: 'open', to }; // at regular places a gap is accepted: redundant conditions leave one
            if (at === 1 && to.regular < unknown)
                return { outcome: 'good', to }; // the assemblies meet there
            if (to.regular < unknown || (!like && isTurned(from, to)))
                return { outcome: 'turned', to };
            return { outcome: !like && way > near && to.least < beyond * change ? 'far' : 'good', to };
        }

        function lookFrom(pose) {
            solver.giveValues(group, pose.values);
            return findTangent(lookAround(pose.at));
        }
        const bend = (a, tangent) => Math.hypot(...a.tangent.map((value, i) => value - tangent[i])) / stepLength(a, 1);

        // Passes over a place where two assemblies cross, in one step from a pose before it: each goes straight on
        // there. Assemblies that only come near each other bend instead.
        function passOver(from) {
            for (const before of [regularPose, nearPoses[1]]) {
                const stand = lookFrom(before);
                const missing = stand.least > from.least ? from.least / (stand.least - from.least) : 0;
                const margin = 2 * shortestStep / stepLength(stand, 1);
                const at = Math.min(1, before.at + (2.2 + Math.min(missing, 1)) * (from.at - before.at) + margin);
                if (stepLength(stand, at - before.at) > longestOver || bend(stand, from.tangent) > 0.5)
                    continue;
                const { outcome, to } = tryStep(stand, at, 0.01);
                if (to && (to.regular < unknown ? outcome === 'good'
                    : outcome === 'turned' && (to.regular < regular || bend(stand, to.tangent) <= 0.05)))
                    return to;
            }
            return undefined;
        }

        // Turns parts of a ball aside that the loops leave free: a ball may be three turns, of which two are about the
        // same axis. The ends stay where they are meanwhile.
        function turnAside(from, number) {
            const still = (a, b, most) => a.every((value, k) => Math.abs(value - b[k]) <= most);
            const stand = lookFrom(from), before = group.loops.map(own => solver.endsOf(own.loop));
            if (stand.rank === free)
                return undefined;
            const motion = findNull(stand.factors, stand.rank, (number >> 1) % (free - stand.rank));
            const most = motion.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
            for (let i = 0; i < free; i++)
                values[columns[i]] += (number % 2 ? -1 : 1) * Math.PI / 2 * motion[i] / most * units[i];
            if (!(solver.closeGroup(group) <= tolerance))
                return undefined;
            solver.place(group);
            const same = group.loops.every((own, i) => solver.endsOf(own.loop).every((end, side) => {
                const old = before[i][side];
                return still(end.origin, old.origin, 1e-6 * group.length) && still(end.x, old.x, 1e-6) &&
                    still(end.z, old.z, 1e-6);
            }));
            return same ? findTangent(lookAround(from.at)) : undefined;
        }

        // Accepts a pose at the very end of the group's reach: the missing length is less than the rounding of data in
        // files.
        function arrive(from) {
            if ((1 - from.at) * length > 1e-6)
                return undefined;
            solver.giveValues(group, from.values.map((value, i) => (i < free ? value : drivenValue(i, 1))));
            if (!(solver.closeGroup(group) <= tolerance))
                return undefined;
            if (columns.slice(0, free).some((joint, i) => Math.abs(values[joint] - from.values[i]) / units[i] > 1e-2))
                return undefined;
            return Object.assign(findTangent(lookAround(1)), { regular: 0 });
        }

        // Notes a pose on the way; behind a singular one, no pose before it counts.
        function notePose(stand, isBehind) {
            if (stand.regular >= regular)
                regularPose = stand;
            if (isBehind)
                nearPoses = [stand, stand];
            else if (stepLength(stand, stand.at - nearPoses[0].at) > longestOver / 6)
                nearPoses = [stand, nearPoses[0]];
        }

        // Goes on until the end of the way, or to where it cannot go on. Returns the last pose.
        function go() {
            const usual = length > longestStep ? 1 / Math.ceil(length / longestStep) : 1;
            let last = findTangent(lookAround(0)), step = usual, asides = 0;
            regularPose = { at: 0, values: begin };
            notePose(last, true);
            while (last.at < 1 && tries < mostTries) {
                const at = step > (1 - 1e-9) * (1 - last.at) ? 1 : last.at + step;
                let { outcome, to } = tryStep(last, at, small);
                const least = nearer * Math.min(last.regular, regular / nearer / nearer);
                if (outcome === 'good' && at < 1 && to.regular < least)
                    outcome = 'turned';
                if (outcome !== 'good') {
                    step = (at - last.at) / 2;
                    if (stepLength(last, step) >= shortestStep)
                        continue;
                    to = outcome === 'turned' ? passOver(last) : undefined;
                    if (!to && asides < mostAsides)
                        to = turnAside(last, asides++);
                    if (to)
                        step = usual;
                    else
                        to = arrive(last);
                    if (!to)
                        return last;
                }
                last = to;
                notePose(last, outcome !== 'good');
                step = Math.min(usual, 2 * step);
            }
            return last;
        }

        // Someone who pulls on at a stop asks for the same direction again and again.
        if (stop && stop.from === begin && length >= stop.reach) {
            const most = Math.sqrt(dot(way, way) * dot(stop.way, stop.way));
            if (dot(way, stop.way) > (1 - 1e-12) * most)
                return false;
        }
        if (length === 0) {
            group.closedAt = begin;
            return true;
        }
        solver.giveValues(group, begin);
        const last = go();
        group.closedAt = last.values;
        group.regularAt = regularPose.values;
        if (last.at < 1)
            group.stop = { from: group.regularAt, way, reach: (last.at - regularPose.at) * length };
        return last.at === 1;
    }

    // ---- cells ----

    // Closes the loops of a cell that page.readCell read. Returns
    //   start(q)           takes values of all joints as a new pose, such as a clip's, and closes loops near it
    //   solve(q, changed)  goes from the present pose to the driven joints' values in q, on the same branch. The
    //                      values of free joints in q do not matter. changed: the joint that moves, if there is one
    //                      only; other groups of loops then stay.
    // Both return { q, closed, residual }: the values of all joints, dependent ones too; false, if some loop could not
    // follow: then its joints are at the last closed pose on the way; and how far the worst loop is from closed, in
    // parts of its group's size and radians. At first the pose is the cell's own.
    page.makeLoops = function (cell) {
        const held = new Set(), groups = findGroups(cell, held), groupOf = new Map();
        const values = page.jointValues(cell, cell.joints.map(joint => joint.q)), solver = makeSolver(cell, values);
        groups.forEach(group => {
            solver.measure(group);
            group.columns.forEach(joint => groupOf.set(joint, group));
        });
        const isOther = joint => !joint.dependent && !held.has(joint.index) && !groupOf.has(joint.index); // in no loop

        function finish(closed) {
            const residual = Math.max(0, ...groups.map(group => {
                solver.giveValues(group, group.closedAt);
                return solver.findGap(group);
            }));
            return { q: page.jointValues(cell, values), closed: closed && residual <= tolerance, residual };
        }
        function start(q) {
            cell.joints.forEach(joint => {
                values[joint.index] = joint.dependent ? values[joint.index] : q[joint.index];
            });
            let closed = true;
            for (const group of groups) {
                closed = solver.closeGroup(group) <= tolerance && closed;
                group.closedAt = group.regularAt = solver.keepValues(group);
            }
            return finish(closed);
        }
        function solve(q, changed) {
            let closed = true;
            cell.joints.filter(isOther).forEach(joint => {
                values[joint.index] = q[joint.index];
            });
            const chosen = changed === undefined ? groups : [groupOf.get(changed)].filter(group => group);
            for (const group of chosen) {
                const goal = Float64Array.from(group.columns, joint => q[joint]);
                const stays = group.closedAt.every((value, i) => i < group.freeCount || value === goal[i]);
                closed = (stays || walk(solver, group, goal)) && closed;
            }
            return finish(closed);
        }
        start(cell.joints.map(joint => joint.q));
        return { start, solve, groups: groups.map(({ columns, freeCount }) => ({ columns, freeCount })) };
    };
})(globalThis.cellpipe_page = globalThis.cellpipe_page || {});
