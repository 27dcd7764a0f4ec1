/* Expressions of xacro, whose values are Python's own: each was printed by python3, with the names that xacro has. */
#include "../../importers/xacro/expression.h"
#include "fixture.h"
#include "scene_fixture.h"

/* Each is "EXPRESSION => WHAT PYTHON PRINTS". */
/* clang-format off */
static const char *const values[] = {
    "0 => 0", "1 => 1", "-1 => -1", "+1 => 1", "1_000 => 1000", "0x1F => 31", "0X1f => 31", "0o17 => 15",
    "0b101 => 5", "0xdead_beef => 3735928559", "00 => 0", "9223372036854775807 => 9223372036854775807",
    "-9223372036854775807 - 1 => -9223372036854775808", "1. => 1.0", ".5 => 0.5", "1.5e3 => 1500.0", "1E-5 => 1e-05",
    "1e+22 => 1e+22", "1_0.0_1 => 10.01", "1e400 => inf", "-1e400 => -inf", "0.1 => 0.1", "100.0 => 100.0",
    "1e15 => 1000000000000000.0", "1e16 => 1e+16", "123456789012345678.0 => 1.2345678901234568e+17", "1e-4 => 0.0001",
    "1e-5 => 1e-05", "0.00012345 => 0.00012345", "1.5e-7 => 1.5e-07", "5e-324 => 5e-324",
    "1.7976931348623157e308 => 1.7976931348623157e+308", "2.5e-05 => 2.5e-05", "0.1+0.2 => 0.30000000000000004",
    "1/3 => 0.3333333333333333", "2/3 => 0.6666666666666666", "-0.0 => -0.0",
    "9007199254740993.0 => 9007199254740992.0", "1e23 => 1e+23", "4.35 => 4.35", "0.3 => 0.3", "1+2 => 3",
    "1-2 => -1", "3*4 => 12", "7/2 => 3.5", "4/2 => 2.0", "7//2 => 3", "-7//2 => -4", "7//-2 => -4", "-7//-2 => 3",
    "7%3 => 1", "-7%3 => 2", "7%-3 => -2", "-7%-3 => -1", "7.5//2 => 3.0", "-7.5//2 => -4.0", "7.5%2 => 1.5",
    "-7.5%2 => 0.5", "7.5%-2 => -0.5", "-1%3.0 => 2.0", "5%0.3 => 0.20000000000000018", "1e300*1e10 => inf",
    "0//5 => 0", "0.0/-5 => -0.0", "0/-5 => -0.0", "0%-3.0 => -0.0", "-6%3.0 => 0.0", "6.0%-3 => -0.0",
    "9223372036854775807/3 => 3.0744573456182584e+18",
    "2948996842497751909/7235043088376149592 => 0.40759907114245425", "1 or 0 and 0 => 1", "'@[Z'.lower() => @[z",
    "'`{z'.upper() => `{Z", "round(6.0, -3) => 0.0", "9007199254740993/1 => 9007199254740992.0",
    "9007199254740993/3 => 3002399751580331.0", "-9223372036854775807/9223372036854775806 => -1.0",
    "1/9223372036854775807 => 1.0842021724855044e-19", "2**10 => 1024", "2**-1 => 0.5",
    "2**0.5 => 1.4142135623730951", "-2**2 => -4", "(-2)**2 => 4", "2**3**2 => 512", "2**-2**2 => 0.0625",
    "0**0 => 1", "0.0**0 => 1.0", "(-1)**9223372036854775807 => -1", "1**-5 => 1.0", "2**62 => 4611686018427387904",
    "10**18 => 1000000000000000000", "9**0.5 => 3.0", "(-8)**3 => -512", "True**2 => 1", "2.0**3 => 8.0",
    "-2.0**2 => -4.0", "(-2)**3.0 => -8.0", "--5 => 5", "-+-5 => 5", "- 2 => -2", "+True => 1", "-True => -1",
    "-False => 0", "not 1 => False", "not 0 => True", "not not 1 => True", "not 'a' => False", "not '' => True",
    "not [] => True", "not [0] => False", "1 and 2 => 2", "0 and 2 => 0", "1 or 2 => 1", "0 or 2 => 2", "0 or '' => ",
    "None or 5 => 5", "'' and 1/0 => ", "1 or 1/0 => 1", "1 and 0 or 5 => 5", "0 or 1 and 2 => 2", "not 1 or 2 => 2",
    "not (1 and 0) => True", "1 if True else 2 => 1", "1 if 0 else 2 => 2", "1 if 0 else 2 if 0 else 3 => 3",
    "1/0 if 0 else 7 => 7", "7 if 1 else 1/0 => 7", "(1 if 0 else 2) + 3 => 5", "1 + 2 if 1 else 4 => 3",
    "[1 if 0 else 2, 3] => [2, 3]", "'a' if 'b' in 'abc' else 'c' => a", "1 if 0 else 2, 3 => (2, 3)",
    "(1 if 1 else 2 if 1 else 3) * 2 => 2", "1 or 2 if 0 else 3 => 3",
    "(5 if 0 else 6) if (1 if 0 else 0) else (7 if 1 else 8) => 7", "1 < 2 => True", "2 <= 2 => True",
    "3 > 4 => False", "3 >= 3 => True", "1 == 1.0 => True", "1 != 1 => False", "1 == True => True",
    "0 == False => True", "2 == True => False", "'a' == 1 => False", "'1' == 1 => False", "None == 0 => False",
    "None == None => True", "1 < 2 < 3 => True", "1 < 3 < 2 => False", "3 > 2 == 2 => True", "1 < 2 > 1 < 5 => True",
    "1 == 1 == True => True", "2 < 1 < 1/0 => False", "1 != 2 != 1 => True",
    "9007199254740993 == 9007199254740992.0 => False", "9007199254740993 > 9007199254740992.0 => True",
    "9223372036854775807 == 9223372036854775808.0 => False", "9223372036854775807 < 9223372036854775808.0 => True",
    "inf > 9223372036854775807 => True", "-inf < -1 => True", "nan == nan => False", "nan < 1 => False",
    "nan >= 1 => False", "nan != nan => True", "0.0 == -0.0 => True", "1 < 1.5 => True", "2 > 1.5 => True",
    "-1 > -1.5 => True", "'a' < 'b' => True", "'a' < 'B' => False", "'ab' < 'abc' => True", "'' < 'a' => True",
    "'b' > 'abc' => True", "'é' > 'z' => True", "[1,2] < [1,3] => True", "[1,2] < [1,2,0] => True",
    "[1,'a'] < [2, 3] => True", "[] < [0] => True", "(1,2) < (1,3) => True", "[1,2] == [1,2.0] => True",
    "[1] == (1,) => False", "[1,[2,'x']] == [1,[2,'x']] => True", "dict(a=1,b=2) == dict(b=2,a=1) => True",
    "dict(a=1) == dict(a=2) => False", "[1,2] != [2,1] => True", "[2] > [1,5] => True", "[1] <= [1] => True",
    "'a' in 'abc' => True", "'' in 'abc' => True", "'d' in 'abc' => False", "'d' not in 'abc' => True",
    "1 in [1,2] => True", "1.0 in [1,2] => True", "True in [1] => True", "'1' in [1] => False",
    "3 not in (1,2) => True", "'a' in dict(a=1) => True", "1 in dict(a=1) => False", "'b' not in dict(a=1) => True",
    "[1] in [[1],[2]] => True", "None in [None] => True", "1 in [2] or 5 => 5", "not 1 in [1] => False",
    "None is None => True", "1 is None => False", "1 is not None => True", "'a' is not None => True",
    "True is True => True", "True is False => False", "[] is None => False", "1 == 1 is True => False",
    "not None is None => False", "0 is False => False", "'a' + 'b' => ab", "'a' * 3 => aaa", "3 * 'ab' => ababab",
    "'a' * 0 => ", "'a' * -1 => ", "'ab' * True => ab", "[1] + [2, 3] => [1, 2, 3]", "[0] * 3 => [0, 0, 0]",
    "2 * [1, 'a'] => [1, 'a', 1, 'a']", "(1,) + (2,) => (1, 2)", "(1, 2) * 2 => (1, 2, 1, 2)", "[] * 5 => []",
    "'x' + str(1.0) => x1.0", "[[]] * 2 => [[], []]", "'a b c'.split() => ['a', 'b', 'c']",
    "'  a\\tb  '.split() => ['a', 'b']", "''.split() => []", "'a,b,,c'.split(',') => ['a', 'b', '', 'c']",
    "''.split(',') => ['']", "'a--b'.split('--') => ['a', 'b']", "'a,b'.split(',')[0] => a",
    "'a b'.split(None) => ['a', 'b']", "' x '.strip() => x", "'xxaxx'.strip('x') => a", "'abcab'.strip('ba') => c",
    "'Ab1'.lower() => ab1", "'aB1'.upper() => AB1", "'abc'.startswith('ab') => True",
    "'abc'.startswith('bc') => False", "'abc'.endswith('bc') => True", "'a'.endswith('bca') => False",
    "'a-b-c'.replace('-', '') => abc", "'aaa'.replace('aa', 'b') => ba", "'abc'.replace('x', 'y') => abc",
    "'a'.replace('a', 'bbb') => bbb", "'A B'.lower().split()[-1] => b", "'  '.strip() => ", "''.upper() => ",
    "'abc'[0] => a", "'abc'[-1] => c", "'äöü'[1] => ö", "'äöü'[-1] => ü", "len('äöü') => 3", "[1,2,3][-3] => 1",
    "[1,2][True] => 2", "(1,2)[1] => 2", "[[1,2],[3]][0][1] => 2", "dict(a=1)['a'] => 1",
    "dict(a=[1,2])['a'][1] => 2", "'a b'.split()[1] => b", "[] => []", "[1] => [1]", "[1,] => [1]", "() => ()",
    "(1,) => (1,)", "(1) => 1", "(1,2,) => (1, 2)", "[1, 2.0, 'x'] => [1, 2.0, 'x']",
    "[None, True, -0.0] => [None, True, -0.0]", "['a\"b', \"a'b\", 'a\\'\"b'] => ['a\"b', \"a'b\", 'a\\'\"b']",
    "['\\\\', '\\n', '\\t'] => ['\\\\', '\\n', '\\t']", "[[], [()]] => [[], [()]]", "['ä'] => ['ä']",
    "1, 2 => (1, 2)", "1, => (1,)", "[dict(a=[1, 'b'])] => [{'a': [1, 'b']}]",
    "dict(a=1, b='x') => {'a': 1, 'b': 'x'}", "dict() => {}", "((1, 2), 3) => ((1, 2), 3)",
    "dict([['a', 1], ('b', 2)]) => {'a': 1, 'b': 2}", "dict([['a', 1]], b=2) => {'a': 1, 'b': 2}",
    "dict(dict(a=1), a=2) => {'a': 2}", "dict([[1, 'x'], [1.0, 'y']]) => {1: 'y'}",
    "dict([[True, 'x']]) => {True: 'x'}", "dict(a=1).get('a') => 1", "dict(a=1).get('b') => None",
    "dict(a=1).get('b', 5) => 5", "list(dict(a=1, b=2).keys()) => ['a', 'b']",
    "list(dict(a=1, b=2).values()) => [1, 2]", "list(dict(a=1).items()) => [('a', 1)]", "len(dict(a=1)) => 1",
    "list(dict(b=1, a=2)) => ['b', 'a']", "int(3.9) => 3", "int(-3.9) => -3", "int('5') => 5", "int(' -5 ') => -5",
    "int('+5') => 5", "int('1_0') => 10", "int('007') => 7", "int(True) => 1", "int() => 0", "int(1e3) => 1000",
    "float('1e3') => 1000.0", "float('1.5') => 1.5", "float(' .5 ') => 0.5", "float('inf') => inf",
    "float('-Infinity') => -inf", "float('NaN') => nan", "float('1_0.5') => 10.5", "float(3) => 3.0",
    "float(True) => 1.0", "float() => 0.0", "float('5.') => 5.0", "str(5) => 5", "str(1.0) => 1.0",
    "str(None) => None", "str('a') => a", "str() => ", "str([1, 'a']) => [1, 'a']", "str(True) => True",
    "list('abc') => ['a', 'b', 'c']", "list('äb') => ['ä', 'b']", "list((1, 2)) => [1, 2]", "list() => []",
    "len([1, 2]) => 2", "len(()) => 0", "len('') => 0", "min(1, 2) => 1", "max(1, 2, 3) => 3", "min([3, 1, 2]) => 1",
    "max('a', 'b') => b", "max('abc') => c", "min(1, 1.0) => 1", "max(True, 1) => True", "min(2, 1.5) => 1.5",
    "max((1, 2), (1, 3)) => (1, 3)", "max(dict(a=1, b=2)) => b", "max(1, nan) => 1", "round(2.5) => 2",
    "round(3.5) => 4", "round(-2.5) => -2", "round(0.5) => 0", "round(1.5) => 2", "round(2.4999999) => 2",
    "round(2.567, 2) => 2.57", "round(2.675, 2) => 2.67", "round(1.005, 2) => 1.0", "round(0.125, 2) => 0.12",
    "round(0.375, 2) => 0.38", "round(5, 2) => 5", "round(15, -1) => 20", "round(25, -1) => 20",
    "round(-15, -1) => -20", "round(149, -2) => 100", "round(1234.5678, -2) => 1200.0", "round(1250.0, -2) => 1200.0",
    "round(1350.0, -2) => 1400.0", "round(5e-324, 3) => 0.0", "round(1e22, 2) => 1e+22", "round(-0.4) => 0",
    "round(0.5, 0) => 0.0", "round(1.5, 0) => 2.0", "round(-0.04, 1) => -0.0", "round(7.0, None) => 7",
    "round(True) => 1", "round(123.456, 20) => 123.456", "round(9.995, 2) => 9.99", "round(99.99, 1) => 100.0",
    "round(4.0, -1) => 0.0", "round(5.0, -1) => 0.0", "round(6.0, -1) => 10.0", "round(0.6, 0) => 1.0",
    "round(9.6, 0) => 10.0", "round(inf, 2) => inf", "round(1e-10, 5) => 0.0", "round(0.05, 1) => 0.1",
    "round(0.15, 1) => 0.1", "round(0.25, 1) => 0.2", "round(5, -30) => 0", "pi => 3.141592653589793",
    "e => 2.718281828459045", "tau => 6.283185307179586", "inf => inf", "nan => nan", "math.pi => 3.141592653589793",
    "-inf => -inf", "sin(pi/2) => 1.0", "cos(0) => 1.0", "sin(0) => 0.0", "tan(1) => 1.5574077246549023",
    "asin(1) => 1.5707963267948966", "acos(1) => 0.0", "acos(0.5) => 1.0471975511965979",
    "atan(1) => 0.7853981633974483", "atan2(1, 1) => 0.7853981633974483", "atan2(-0.0, -1) => -3.141592653589793",
    "sinh(1) => 1.1752011936438014", "cosh(1) => 1.5430806348152437", "tanh(0.5) => 0.46211715726000974",
    "asinh(1) => 0.881373587019543", "acosh(2) => 1.3169578969248166", "atanh(0.5) => 0.5493061443340548",
    "sqrt(2) => 1.4142135623730951", "sqrt(4) => 2.0", "exp(1) => 2.718281828459045",
    "expm1(1e-10) => 1.00000000005e-10", "log(e) => 1.0", "log(8, 2) => 3.0", "log(10) => 2.302585092994046",
    "log10(1000) => 3.0", "log2(8) => 3.0", "log1p(1e-10) => 9.999999999500001e-11", "pow(2, 3) => 8.0",
    "pow(2, -1) => 0.5", "hypot(3, 4) => 5.0", "radians(180) => 3.141592653589793", "degrees(pi) => 180.0",
    "radians(90) => 1.5707963267948966", "radians(45) => 0.7853981633974483", "radians(-30) => -0.5235987755982988",
    "radians(1) => 0.017453292519943295", "degrees(1) => 57.29577951308232", "floor(2.5) => 2", "floor(-2.5) => -3",
    "ceil(2.5) => 3", "ceil(-2.5) => -2", "trunc(-2.7) => -2", "floor(3) => 3", "fabs(-2) => 2.0",
    "fmod(7, 3) => 1.0", "fmod(-7, 3) => -1.0", "fmod(7.5, -2) => 1.5", "copysign(3, -0.0) => -3.0",
    "isnan(nan) => True", "isinf(-inf) => True", "isfinite(1) => True", "isnan(1) => False",
    "remainder(7, 4) => -1.0", "math.sqrt(16) => 4.0", "math.floor(1.9) => 1", "erf(0.5) => 0.5204998778130465",
    "erfc(0.5) => 0.4795001221869535", "sin(True) => 0.8414709848078965", "sqrt(inf) => inf", "exp(-inf) => 0.0",
    "exp(-1000) => 0.0", "python.abs(-1) => 1", "python.abs(-1.5) => 1.5", "python.abs(-0.0) => 0.0",
    "python.abs(True) => 1", "python.sum([1, 2.5]) => 3.5", "python.sum([]) => 0",
    "python.sum([[1], [2]], []) => [1, 2]", "python.sum((1, 2), 10) => 13", "list(python.range(3)) => [0, 1, 2]",
    "list(python.range(1, 4)) => [1, 2, 3]", "list(python.range(5, 0, -2)) => [5, 3, 1]",
    "list(python.range(0)) => []", "list(range(2)) => [0, 1]", "python.sorted([3, 1, 2]) => [1, 2, 3]",
    "python.sorted('cab') => ['a', 'b', 'c']", "python.sorted([1.5, 1, True]) => [1, True, 1.5]",
    "python.any([0, 1]) => True", "python.any([]) => False", "python.all([1, 0]) => False", "python.all([]) => True",
    "python.bool('a') => True", "python.bool() => False", "python.tuple([1, 2]) => (1, 2)", "python.max(1, 2) => 2",
    "python.int('3') => 3", "python.isinstance(1, int) => True", "python.isinstance(1.0, int) => False",
    "python.isinstance(True, int) => True", "python.isinstance('a', str) => True",
    "python.isinstance([], (str, list)) => True", "python.isinstance(dict(), dict) => True",
    "python.isinstance(None, str) => False", "python.isinstance(1, python.bool) => False", "n => 7", "half => 0.5",
    "name => arm", "n * half => 3.5", "name + '_link' => arm_link", "limits['lower'] => -1.5", "sizes[1] => 2.5",
    "sizes => [1, 2.5, 'x']", "limits => {'lower': -1.5, 'upper': 2}", "nothing is None => True", "on and n => 7",
    "n if on else 0 => 7", "-n ** 2 => -49", "limits['upper'] - limits['lower'] => 3.5",
    "name in ['arm', 'leg'] => True", "len(sizes) => 3", "big - 1 => 9223372036854775806", "nothing == None => True",
    "limits.get('lower') => -1.5", "(1 +\n 2) => 3", "[1,\n 2\n] => [1, 2]", " 1  => 1", "'it\\'s' => it's",
    "\"a'b\" => a'b", "'a\"b' => a\"b", "'a\\\\b' => a\\b", "'a\\qb' => a\\qb", "'tab\\tx' => tab\tx",
    "((((1)))) => 1", "1  +\t2 => 3"};
/* clang-format on */
/* Python refuses some of these, and we the others: "EXPRESSION => PART OF THE MESSAGE". */
/* clang-format off */
static const char *const refused[] = {
    "1 if 1else 2 => 1else is not a number", "1/0 => division by zero", "1//0 => division by zero",
    "1%0 => division by zero", "1.0/0 => division by zero", "1.5//0.0 => division by zero",
    "1 % 0.0 => division by zero", "0**-1 => negative power", "0.0**-1 => negative power", "(-8)**0.5 => complex",
    "2**63 => beyond 64 bits", "2**2000 => beyond 64 bits", "3**41 => beyond 64 bits",
    "9223372036854775807 + 1 => beyond 64 bits", "-9223372036854775807 - 2 => beyond 64 bits",
    "big * 2 => beyond 64 bits", "9223372036854775808 => beyond 64 bits", "0xFFFFFFFFFFFFFFFF => beyond 64 bits",
    "(-9223372036854775807 - 1) // -1 => beyond 64 bits", "-(-9223372036854775807 - 1) => beyond 64 bits",
    "python.abs(-9223372036854775807 - 1) => beyond 64 bits", "int('99999999999999999999') => beyond 64 bits",
    "int(1e19) => beyond 64 bits", "floor(1e30) => beyond 64 bits",
    "round(9223372036854775807, -1) => beyond 64 bits", "10.0**400 => range of floats",
    "None < 1 => does not work with NoneType and int", "1 < 'a' => does not work with int and str",
    "'a' >= 1 => does not work with int and str", "[1] < (1,) => does not work with list and tuple",
    "dict() < dict() => does not work with dict and dict", "[1, 'a'] < [1, 2] => does not work with str and int",
    "'a' + 1 => does not work with str and int", "1 + 'a' => does not work with int and str",
    "None + 1 => does not work with NoneType and int", "[1] + (1,) => does not work with list and tuple",
    "'a' - 'b' => does not work with str and str", "'a' * 1.5 => does not work with str and float",
    "'a' * 'b' => does not work with str and str", "[1] * [1] => does not work with list and list",
    "-'a' => a sign does not work with str", "+None => a sign does not work with NoneType",
    "1 in 'abc' => in does not work with int and str", "1 in 5 => in does not work with int and int",
    "[1] in dict(a=1) => list cannot be a key", "'x' * 10**9 => larger than", "[0] * 10**9 => larger than",
    "'x' * 4194304 => larger than", "python.range(10**12) => larger than",
    "[['x' * 3000000], ['x' * 3000000]] => larger than", "'%s' % 3 => formatting a text by %", "1 is 1 => use ==",
    "'a' is 'a' => use ==", "[1, 2][2] => the index 2 is beyond list of 2",
    "[1, 2][-3] => the index -3 is beyond list of 2", "''[0] => the index 0 is beyond str of 0",
    "[1, 2]['a'] => an index must be an int, not str", "[1, 2][1.0] => an index must be an int, not float",
    "5[0] => int has no items", "dict(a=1)['b'] => the dict has no key 'b'",
    "dict(a=1)[1] => the dict has no key '1'", "dict(a=1)[''] => the dict has no key ''",
    "limits['middle'] => the dict has no key 'middle'", "dict(a=1).a => dict has no member a",
    "limits.middle => the dict has no key 'middle'", "limits.pop('lower') => dict has no member pop",
    "limits.update => dict has no member update", "'a'.format(1) => str has no member format",
    "'a'.title() => str has no member title", "[1].append(2) => list has no member append",
    "[1].index(1) => list has no member index", "(5).real => int has no member real",
    "None.x => NoneType has no member x", "undefined_name => the name undefined_name is not defined",
    "abs(-1) => write python.abs", "sum([1, 2]) => write python.sum",
    "sorted_name => the name sorted_name is not defined", "set([1]) => the function set is not supported",
    "zip([1], [2]) => the function zip is not supported", "map(str, [1]) => the function map is not supported",
    "filter(None, [1]) => the function filter is not supported", "format(1) => the function format is not supported",
    "math.gcd(4, 6) => math.gcd is not defined or not supported",
    "python.open('a') => python.open is not defined or not supported",
    "python.eval('1') => python.eval is not defined or not supported",
    "xacro.abs_filename('a') => xacro.abs_filename is not defined or not supported",
    "__import__ => the name __import__ is not allowed", "''.__class__ => the name __class__ is not allowed",
    "1 if 1 else __x__ => the name __x__ is not allowed", "[x for x in [1, 2]] => comprehensions are not supported",
    "[n for n in [1, 2]] => comprehensions are not supported",
    "[n * 2 for n in [1]] => comprehensions are not supported", "lambda x: x => lambda is not supported",
    "f'{1 => a text with 'f' before it", "f'1' => a text with 'f' before it", "rb'1' => a text with 'rb' before it",
    "{'a': 1 => dict and set literals are not supported", "{1} => dict and set literals are not supported",
    "[1, 2][0:1] => slices are not supported", "[1, 2][:1] => slices are not supported",
    "max(*[1, 2]) => starred arguments are not supported", "dict(**dict()) => starred arguments are not supported",
    "~5 => the operator ~ of bits", "1 << 3 => the operator << of bits", "8 >> 1 => the operator >> of bits",
    "1 & 2 => the operator & of bits", "1 | 2|the operator  =>  of bits", "1 ^ 2 => the operator ^ of bits",
    "[1] @ [2] => the operator @", "(n := 5) => := is not supported", "'a' 'b' => two values stand side by side",
    "1 2 => two values stand side by side", " => nothing to evaluate", "   => nothing to evaluate",
    "1 + => ends where a value", "(1 => ends where a value", "[1, 2 => ends where a value",
    "max(1 => ends where a value", "1 if 2 => ends where a value", "1) => ')' does not belong here",
    "(1] => ']' does not belong here", "(,) => ',' does not belong here", "1 == not 2 => 'not' does not belong here",
    "1 + not 2 => 'not' does not belong here", "1 not 2 => two values stand", "n = 1 => '=' does not belong here",
    "1 if else 2 => 'else' does not belong here", "1 else 2 => 'else' does not belong here",
    "and 1 => 'and' does not belong here", "1 and => ends where a value", "0 and ) => ')' does not belong here",
    "0 and 1 2 => two values stand side by side", "1; 2 => ';' does not belong here", "n. => ends where a value",
    "sizes.1 => two values stand side by side", "1 # x => '#' is not part of the language",
    "$x => '$' is not part of the language", "!x => '!' is not part of the language",
    "1 <> 2 => '>' does not belong here", "5e => 5e is not a number", "5x => 5x is not a number",
    "1__0 => 1__0 is not a number", "1_ => 1_ is not a number", "012 => 012 is not a number",
    "0x => 0x is not a number", "0b12 => 0b12 is not a number", "0o8 => 0o8 is not a number",
    "1j => 1j is not a number", "1e+ => 1e is not a number", "'a => a text has no ' at its end",
    "\"a => a text has no \" at its end", "'a\\' => a text has no ' at its end",
    "'a\nb' => a text has no ' at its end", "'''a''' => two values stand side by side",
    "'\\x41' => the escape \\x in a text", "'\\0' => the escape \\0 in a text",
    "'\\u00e4' => the escape \\u in a text", "1 +\n2 => a line ends within the expression",
    "len => the result is a function, not a value", "math => the result is a module, not a value",
    "sin => the result is a function, not a value", "str(len) => str does not take function",
    "len() => len takes 1 arguments, not 0", "len([1], [2]) => len takes 1 arguments, not 2",
    "round() => round takes at least 1 arguments, not 0", "round(1, 2, 3) => round takes at most 2 arguments, not 3",
    "round(1.5, ndigits=1) => round does not take an argument named ndigits",
    "dict(a=1, 2) => an argument without a name stands behind", "dict(1) => dict does not take int",
    "dict([1]) => dict takes pairs", "dict([[1, 2, 3]]) => dict takes pairs",
    "dict([[[1], 2]]) => list cannot be a key", "dict([], []) => dict takes one argument",
    "dict([[(1, 2), 3]]) => a tuple as a key is not supported", "5(1) => int cannot be called",
    "'a'() => str cannot be called", "int('5.0') => int cannot read '5.0'", "int('') => int cannot read ''",
    "int('0x10') => int cannot read '0x10'", "int('1__0') => int cannot read", "int('_1') => int cannot read",
    "int('1_') => int cannot read", "int(None) => int does not take NoneType", "int([1]) => int does not take list",
    "int(nan) => nan is not an integer", "int(inf) => an infinite number is not an integer",
    "round(nan) => nan is not an integer", "floor(-inf) => an infinite number is not an integer",
    "int('5', 16) => int takes at most 1 arguments", "float('a') => float cannot read 'a'",
    "float('') => float cannot read ''", "float('1e') => float cannot read '1e'",
    "float('0x10') => float cannot read '0x10'", "float('1_e5') => float cannot read '1_e5'",
    "float([]) => float does not take list", "round('a') => round does not take str",
    "round(1.5, 1.0) => round does not take float", "round(1.7e308, -308) => beyond the range of floats",
    "len(5) => len does not take int", "list(5) => list does not take int", "min() => min takes at least 1 arguments",
    "min([]) => min of nothing", "max(5) => max does not take int", "max(1, 'a') => does not work with int and str",
    "python.sum(['a']) => does not work with int and str", "python.sum(['a'], '') => sum does not take str",
    "python.abs('a') => abs does not take str", "python.range(1.0) => range does not take float",
    "python.range(1, 2, 0) => a step that is not 0", "python.sorted([1, 'a']) => does not work with str and int",
    "python.isinstance(1, 5) => isinstance takes str", "python.isinstance(1, len) => isinstance takes str",
    "sqrt(-1) => sqrt(-1) is not defined", "sqrt('4') => sqrt takes numbers, not str",
    "log(0) => log of 0 is not defined", "log(-1) => log of -1 is not defined",
    "log(2, 1) => log of the base 1 is not defined", "exp(1000) => exp(1000) is not defined, or beyond",
    "acos(2) => acos(2) is not defined", "pow(0, -1) => pow(0, -1) is not defined", "pow(-8, 1/3) => is not defined",
    "fmod(1, 0) => fmod(1, 0) is not defined", "sin(inf) => sin(inf) is not defined",
    "sin() => sin takes 1 arguments, not 0", "atan2(1) => atan2 takes 2 arguments, not 1",
    "hypot(1, 2, 3) => hypot takes 2 arguments, not 3", "'a'.split('') => split takes a text that is not empty",
    "'a'.split(1) => split takes a text, not int", "'a'.replace('', 'b') => replace takes a text that is not empty",
    "'\xc3\x84'.lower() => lower of letters beyond ASCII", "'a'.strip('\xc3\xa4') => of ASCII alone",
    "'a'.startswith(('a', 'b')) => startswith takes a text, not tuple",
    "'a'.startswith('a', 1) => startswith takes 1 arguments, not 2",
    "xacro.load_yaml(1) => xacro.load_yaml does not take int", "xacro.arg(1) => xacro.arg does not take int",
    "xacro.dotify([1]) => xacro.dotify does not take list", "xacro.tokenize(1) => xacro.tokenize does not take int",
    "xacro.tokenize('a', '') => does not take the separators",
    "xacro.tokenize('a', '^a') => does not take the separators", "space.nothing => space.nothing is not defined",
    "cyclic => a property of its own"};
/* clang-format on */
/* A name, an expression or a literal, and what becomes of it. */
struct expected {
    const char *text, *printed;
};

/* Names that the documents of this test have. */
static cp_status find(void *user, const char *name, size_t size, struct value *value, bool *found)
{
    static const struct expected properties[] = {
        {"n", "7"},
        {"half", "0.5"},
        {"name", "'arm'"},
        {"nothing", "None"},
        {"on", "True"},
        {"big", "9223372036854775807"},
        {"sizes", "[1, 2.5, 'x']"},
        {"limits", "xacro.dotify(dict(lower=-1.5, upper=2))"},
        {"cyclic", "cyclic"},
    };
    struct expression_world *world = user;
    *found = false;
    if (size == 5 && memcmp(name, "space", 5) == 0) {
        *value = (struct value){.kind = VALUE_MODULE, .module = {"space"}};
        *found = true;
        return CP_OK;
    }
    for (size_t i = 0; i < sizeof properties / sizeof *properties && !*found; i++) {
        *found = strlen(properties[i].text) == size && memcmp(properties[i].text, name, size) == 0;
        if (*found && *name == 'c')
            return report_error(world->context, CP_INPUT, "test-cycle", world->place, "a property of its own");
        if (*found)
            return expression_evaluate(world, properties[i].printed, strlen(properties[i].printed), value);
    }
    return CP_OK;
}

static cp_status find_member(void *user, const char *module, const char *name, size_t size, struct value *value,
                             bool *found)
{
    (void)user;
    *found = strcmp(module, "space") == 0 && size == 4 && memcmp(name, "size", 4) == 0;
    *value = value_of_int(12);
    return CP_OK;
}

static cp_status argument(void *user, const char *name, struct value *value)
{
    struct expression_world *world = user;
    const char *text = arena_print(world->arena, "<%s>", name);
    *value = value_of_text(text ? text : "", text ? strlen(text) : 0);
    return text ? CP_OK : CP_LIMIT;
}

static struct expression_world new_world(cp_context *owner)
{
    return (struct expression_world){.context = owner, .arena = arena_new(owner), .place = AT_LINE("robot.xacro", 3)};
}

static void connect(struct expression_world *world)
{
    world->user = world;
    world->find = find;
    world->find_member = find_member;
    world->argument = argument;
}

static const char *printed(struct expression_world *world, const char *text, cp_status *status)
{
    struct value value;
    struct buffer buffer = {.context = world->context};
    *status = expression_evaluate(world, text, strlen(text), &value);
    if (*status != CP_OK)
        return NULL;
    value_print(&value, &buffer);
    assert_false(buffer.failed);
    const char *copy = arena_copy_text(world->arena, buffer.size ? buffer.data : "", buffer.size);
    buffer_free(&buffer);
    return copy;
}

static void expect_printed(struct expression_world *world, const char *text, const char *expected)
{
    cp_status status;
    const char *got = printed(world, text, &status);
    if (status != CP_OK)
        show_report(world->context);
    if (!got || strcmp(got, expected) != 0)
        fail_msg("%s gives %s, not %s", text, got ? got : "an error", expected);
}

/* Parts a line of the tables above. */
static struct expected parted(const char *line)
{
    const char *arrow = strstr(line, " => ");
    assert_non_null(arrow);
    char *text = scratch((size_t)(arrow - line) + 1, 1);
    memcpy(text, line, (size_t)(arrow - line));
    return (struct expected){text, arrow + 4};
}

static void test_values(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    connect(&world);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        expect_printed(&world, parted(values[i]).text, parted(values[i]).printed);
    assert_int_equal(world.depth, 0);
    arena_free(world.arena);
}

static void test_refused(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    connect(&world);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cp_status status;
        size_t count;
        const struct expected one = parted(refused[i]);
        cp_report_clear(context);
        const char *got = printed(&world, one.text, &status);
        const cp_entry *entries = cp_report(context, &count);
        if (got || status != CP_INPUT)
            fail_msg("%s gives %s and status %d", one.text, got ? got : "nothing", status);
        assert_true(count > 0);
        const cp_entry *error = &entries[count - 1];
        if (!strstr(error->message, one.printed))
            fail_msg("%s: %s", one.text, error->message);
        if (strcmp(one.text, "cyclic") != 0)
            assert_string_equal(error->code, "xacro-expression");
        assert_string_equal(error->file, "robot.xacro");
        assert_int_equal(error->line, 3);
        assert_int_equal(world.depth, 0);
    }
    arena_free(world.arena);
}

static char *repeated(const char *part, size_t count, const char *middle, const char *last)
{
    size_t size = strlen(part), tail = strlen(last);
    char *text = scratch(count * (size + tail) + strlen(middle) + 1, 1), *at = text;
    for (size_t i = 0; i < count; i++, at += size)
        memcpy(at, part, size);
    memcpy(at, middle, strlen(middle));
    at += strlen(middle);
    for (size_t i = 0; i < count; i++, at += tail)
        memcpy(at, last, tail);
    return text;
}

/* Python has nothing to compare these with. */
static void test_own_rules(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    connect(&world);
    expect_printed(&world, "space.size * 2", "24");
    expect_printed(&world, "xacro.arg('x') + '!'", "<x>!");
    expect_printed(&world, "limits.lower", "-1.5");
    expect_printed(&world, "xacro.dotify(dict(a=dict(b=5))).a.b", "5");
    expect_printed(&world, "xacro.dotify(dict(a=[dict(b=5)]))['a'][0].b", "5");
    expect_printed(&world, "xacro.tokenize('a, b;;c')", "['a', 'b', 'c']");
    expect_printed(&world, "xacro.tokenize('a/b//', '/')", "['a', 'b']");
    expect_printed(&world, "xacro.tokenize('a,,b', ',', False)", "['a', '', 'b']");
    expect_printed(&world, "xacro.print_location()", "");
    cp_status status;
    assert_null(printed(&world, repeated("\xc3\xa4", 100, "'", ""), &status)); /* 201 bytes: the last one is cut */
    assert_true(was_said(context, "\xc3\xa4...}"));
    expect_printed(&world, "['\xc2\xa0', '\xe2\x80\xa8', '\x7f']", "['\\xa0', '\\u2028', '\\x7f']");
    arena_free(world.arena);
}

static void test_messages(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    cp_status status;
    cp_report_clear(context);
    expect_printed(&world, "xacro.message('a', 1.0)", "");
    expect_printed(&world, "xacro.warning('no inertia of ' + 'arm')", "");
    expect_printed(&world, "xacro.error('bad')", "");
    expect_printed(&world, "[len(range(3)), len(range(4))]", "[3, 4]");
    assert_int_equal(count_entries(context, CP_NOTE, "xacro-message"), 1);
    assert_int_equal(count_entries(context, CP_WARNING, "xacro-message"), 2);
    assert_int_equal(count_entries(context, CP_WARNING, "xacro-old-name"), 1); /* once a document */
    assert_null(printed(&world, "xacro.fatal('end')", &status));
    assert_int_equal(status, CP_INPUT);
    assert_int_equal(count_entries(context, CP_ERROR, "xacro-fatal"), 1);
    arena_free(world.arena);
}

/* ---- bounds ---- */

static void test_depth(void **state)
{
    (void)state;
    static const char *const parts[][3] = {{"(", "1", ")"},      {"[", "1", "]"},      {"-", "1", ""},
                                           {"not ", "1", ""},    {"1**", "1", ""},     {"1 if 0 else ", "1", ""},
                                           {"max(1,", "1", ")"}, {"1 and (", "1", ")"}};
    struct expression_world world = new_world(context);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cp_status status;
        const char *const *part = parts[i];
        assert_non_null(printed(&world, repeated(part[0], 60, part[1], part[2]), &status));
        cp_report_clear(context);
        assert_null(printed(&world, repeated(part[0], 100000, part[1], part[2]), &status));
        assert_int_equal(status, CP_INPUT);
        assert_int_equal(count_entries(context, CP_ERROR, "xacro-expression"), 1);
        assert_int_equal(world.depth, 0);
    }
    arena_free(world.arena);
}

/* Operators side by side are no depth. */
static void test_long(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    expect_printed(&world, repeated("1+", 100000, "1", ""), "100001");
    expect_printed(&world, repeated("1 and ", 100000, "5", ""), "5");
    expect_printed(&world, repeated("1<=", 100000, "1", ""), "True");
    arena_free(world.arena);
}

/* Expressions that multiply work end by the bound of steps, soon: values that are nested, compared, joined and found.
 */
static void test_work(void **state)
{
    (void)state;
    static const char *const texts[] = {"python.sum([[0] * 1000] * 3000, [])",
                                        "[[0] * 2000] * 500 == [[0.0] * 2000] * 500",
                                        "python.sorted(python.range(100000, 0, -1))", "[1] in [[0] * 1000] * 4000"};
    struct expression_world world = new_world(context);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_status status = CP_OK;
        cp_report_clear(context);
        world.steps = 0;
        for (int k = 0; k < 300 && status == CP_OK; k++)
            (void)printed(&world, texts[i], &status);
        if (status != CP_LIMIT)
            fail_msg("%s", texts[i]);
        assert_int_equal(count_entries(context, CP_ERROR, "xacro-work"), 1);
        arena_free(world.arena);
        world.arena = arena_new(context);
    }
    arena_free(world.arena);
}

/* A list in itself, again and again, doubles what printing would cost; or it is deeper than recursion may go. */
static void test_nested_values(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    struct value value, text = value_of_text("abc", 3);
    for (int deep = 0; deep < 2; deep++) {
        struct value nested = text;
        cp_status status = CP_OK;
        int rounds = 0;
        cp_report_clear(context);
        for (; status == CP_OK && rounds < 1000; rounds++) {
            struct value_items *items = arena_allocate(world.arena, 1, sizeof *items);
            struct value *pair = arena_allocate(world.arena, 2, sizeof *pair);
            pair[0] = pair[1] = nested;
            *items = (struct value_items){.values = pair, .count = deep ? 1 : 2};
            status = value_of_items(VALUE_LIST, items, &value) ? CP_OK : CP_INPUT;
            nested = value;
        }
        assert_in_range(rounds, deep ? DEEPEST_VALUE + 1 : 15, deep ? DEEPEST_VALUE + 1 : 25);
    }
    arena_free(world.arena);
}

/* ---- numbers ---- */

/* The shortest digits are those of the printer that other tests prove; here, that no form loses any. */
static void test_floats_read_back(void **state)
{
    (void)state;
    uint64_t seed = 42;
    struct buffer text = {.context = context};
    for (int i = 0; i < 200000; i++) {
        double number, back;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&number, &seed, sizeof number);
        if (i % 2)
            number = (double)(int64_t)(seed >> 40) / (double)(1 + (seed & 0xFFFF));
        if (!(number - number == 0))
            continue;
        struct value value = value_of_float(number);
        text.size = 0;
        value_print(&value, &text);
        assert_true(value_read_float(text.data, text.size, &back));
        assert_memory_equal(&number, &back, sizeof back);
    }
    buffer_free(&text);
}

static void test_literals(void **state)
{
    (void)state;
    static const struct expected literals[] = {{"5", "5"},
                                               {" 5 ", "5"},
                                               {"-0", "0"},
                                               {"+7", "7"},
                                               {"007", "7"},
                                               {"1.50", "1.5"},
                                               {"1e3", "1000.0"},
                                               {".5", "0.5"},
                                               {"5.", "5.0"},
                                               {"inf", "inf"},
                                               {"-Infinity", "-inf"},
                                               {"nan", "nan"},
                                               {"true", "True"},
                                               {"True", "True"},
                                               {"false", "False"},
                                               {"False", "False"},
                                               {"1_0", NULL},
                                               {"", NULL},
                                               {" ", NULL},
                                               {"TRUE", NULL},
                                               {"yes", NULL},
                                               {"0x10", NULL},
                                               {"1 2", NULL},
                                               {"None", NULL},
                                               {"9223372036854775808", NULL},
                                               {"-9223372036854775808", "-9223372036854775808"},
                                               {"1e", NULL},
                                               {"--1", NULL},
                                               {"1.0e5_0", NULL},
                                               {" true", NULL},
                                               {"e5", NULL},
                                               {".", NULL},
                                               {"+", NULL}};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        struct value value;
        struct buffer text = {.context = context};
        bool read = value_from_literal(literals[i].text, strlen(literals[i].text), &value);
        if (read != (literals[i].printed != NULL))
            fail_msg("'%s' is %s", literals[i].text, read ? "read" : "not read");
        if (!read)
            continue;
        value_print(&value, &text);
        buffer_append(&text, "", 1);
        assert_string_equal(text.data, literals[i].printed);
        buffer_free(&text);
    }
}

/* ---- memory ---- */

static void test_failed_allocations(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "'a b c'.split() + [1] * 3 + list(dict(a=1, b=[2]).items())",
        "str([1.5, 'x']) + 'y' * 500 + xacro.arg('z') if n else 2",
        "python.sorted([3, 1, 2]) == list('abc') or limits.upper in sizes",
        "xacro.tokenize('a,b') and round(2.567, 2) and max('abc', 'b') and dict(a=1)['b']"};
    size_t failures = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_status whole = CP_LIMIT;
        for (size_t n = 1; n < 1000; n++) {
            struct counter counter = {0};
            cp_allocator allocator = {counted_resize, &counter};
            cp_context *owner = cp_context_new(&allocator);
            assert_non_null(owner);
            struct expression_world world = new_world(owner);
            connect(&world);
            counter.limit = counter.calls + n;
            counter.goes_on = true;
            struct value value;
            whole = expression_evaluate(&world, texts[i], strlen(texts[i]), &value);
            bool reached = counter.calls >= counter.limit;
            counter.limit = 0;
            bool is_refused = i == 3 && whole == CP_INPUT; /* there is no room for the report's entry */
            if (reached)
                assert_true(whole == CP_LIMIT || is_refused);
            failures += reached;
            arena_free(world.arena);
            cp_context_free(owner);
            assert_int_equal(counter.blocks, 0);
            if (!reached)
                break;
        }
        assert_int_equal(whole, i == 3 ? CP_INPUT : CP_OK);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_own_rules),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_nested_values),
        cmocka_unit_test(test_floats_read_back),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
