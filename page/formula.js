// Formulas of dependent joints: the grammar of scene/model/model.h, as scene/model/expression.c reads it. A recursive
// descent compiles the text to steps, and a stack runs them: the page's content security policy forbids eval.
(function (page) {
    'use strict';

    const longest = 1024, deepest = 64;
    // How many values a function takes, and its value; unit: radians of one unit of an angle.
    const functions = {
        sin: [1, 1, (a, unit) => Math.sin(a * unit)],
        cos: [1, 1, (a, unit) => Math.cos(a * unit)],
        tan: [1, 1, (a, unit) => Math.tan(a * unit)],
        asin: [1, 1, (a, unit) => Math.asin(a) / unit],
        acos: [1, 1, (a, unit) => Math.acos(a) / unit],
        atan: [1, 1, (a, unit) => Math.atan(a) / unit],
        sqrt: [1, 1, a => Math.sqrt(a)],
        abs: [1, 1, a => Math.abs(a)],
        atan2: [2, 2, (a, b, unit) => Math.atan2(a, b) / unit],
        min: [2, Infinity, (a, b) => (b < a ? b : a)],
        max: [2, Infinity, (a, b) => (b > a ? b : a)],
    };

    // Returns the steps of a formula: functions of an array of values that change its end. See compileFormula.
    function readSteps(text, lookup) {
        const unit = lookup.angle === undefined ? 1 : lookup.angle, steps = [];
        let at = 0, depth = 0;

        function fail(fault, place = at) {
            throw new Error(`${fault}, at character ${place + 1} of the formula`);
        }
        function next() {
            while (text[at] === ' ' || text[at] === '\t')
                at++;
            return text[at];
        }
        function accept(character) {
            const found = next() === character;
            at += found ? 1 : 0;
            return found;
        }
        function expect(character) {
            if (!accept(character))
                fail(`a ${character} is missing`);
        }
        function match(pattern) {
            pattern.lastIndex = at;
            const found = pattern.exec(text);
            return found ? found[0] : '';
        }
        const push = value => steps.push({ takes: 0, value });
        const one = apply => steps.push({ takes: 1, apply });
        const two = apply => steps.push({ takes: 2, apply });

        function readInput() {
            next();
            const digits = match(/[0-9]+/y), index = Number(digits) - 1;
            if (!digits)
                fail('dof takes a whole number');
            if (!(index >= 0 && index < lookup.inputs.length))
                fail('the device has no such degree of freedom');
            at += digits.length;
            steps.push({ takes: 0, input: lookup.inputs[index], factor: lookup.factors ? lookup.factors[index] : 1 });
            expect(')');
        }
        function readFunction([fewest, most, apply]) {
            let count = 1;
            readSum();
            for (; count < most && accept(','); count++) {
                readSum();
                two((a, b) => apply(a, b, unit)); // a function of many values is applied to two at a time
            }
            if (count < fewest)
                fail('the function takes two values');
            if (next() === ',')
                fail('too many values for the function');
            expect(')');
            if (most === 1)
                one(a => apply(a, unit));
        }
        function readPrimary() {
            const first = next(), word = match(/[a-z][a-z0-9]*/iy), name = word.toLowerCase();
            const number = match(/([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?/iy);
            if (name !== '' && name !== 'pi' && name !== 'dof' && !Object.keys(functions).includes(name))
                fail('the name is unknown');
            at += word.length || number.length;
            if (name === 'pi') {
                push(Math.PI);
            } else if (name) {
                expect('(');
                if (name === 'dof')
                    readInput();
                else
                    readFunction(functions[name]);
            } else if (number) {
                push(Number(number));
            } else if (accept('(')) {
                readSum();
                expect(')');
            } else {
                fail(first === undefined ? 'the formula ends too early' : 'a value is missing');
            }
        }
        function readPower() { // every formula within a formula passes here
            if (depth === deepest)
                fail('the formula is nested too deeply');
            depth++;
            readPrimary();
            if (accept('^')) {
                readSigned();
                two((a, b) => Math.pow(a, b));
            }
            depth--;
        }
        function readSigned() {
            const negative = accept('-');
            if (!negative)
                accept('+');
            readPower();
            if (negative)
                one(a => -a);
        }
        function readTerm() {
            readSigned();
            for (;;) {
                const times = accept('*');
                if (!times && !accept('/'))
                    return;
                readSigned();
                two(times ? (a, b) => a * b : (a, b) => a / b);
            }
        }
        function readSum() {
            readTerm();
            for (;;) {
                const plus = accept('+');
                if (!plus && !accept('-'))
                    return;
                readTerm();
                two(plus ? (a, b) => a + b : (a, b) => a - b);
            }
        }

        if (text.length > longest)
            fail('the formula is too long', 0);
        readSum();
        if (next() !== undefined)
            fail('unexpected text after the formula');
        return steps;
    }

    // Compiles a formula such as "0.5*dof(1) + sin(dof(2))" to a function of an array of values. lookup: what the
    // extras of a joint tell with it: { inputs, factors, angle }. dof(i) is factors[i - 1] * values[inputs[i - 1]], so
    // inputs are indices here; angle is the radians of what sin takes and asin gives. Throws an Error that tells what
    // is wrong and where. The function returns 0 where the formula has no value, as the program does: a value on the
    // way that is not finite counts, since a later step could make a number of it again, as 1 / infinity is 0.
    page.compileFormula = function (text, lookup) {
        const steps = readSteps(text, lookup);
        return function (values) {
            const stack = [];
            for (const step of steps) {
                if (step.takes === 0) {
                    stack.push(step.input === undefined ? step.value : step.factor * values[step.input]);
                } else {
                    const b = step.takes === 2 ? stack.pop() : 0, a = stack.pop();
                    stack.push(step.apply(a, b));
                }
                if (!Number.isFinite(stack[stack.length - 1]))
                    return 0;
            }
            return stack[0];
        };
    };
})(globalThis.cellpipe_page = globalThis.cellpipe_page || {});
