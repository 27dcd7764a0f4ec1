/* Python's module math, as far as expressions have it: the same functions of C's library, with Python's errors. */
#include <math.h>
#include <stdio.h>

#include "base/text/text.h"
#include "evaluation.h"

/* ---- round ---- */

/* Prints |number| with so many digits, correctly rounded, half to even, as "12345e-6" without a point, which would be
 * the locale's. */
static void print_digits(double number, int digits, char out[64], int *exponent)
{
    char text[64], *at = out;
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, fabs(number));
    const char *from = text;
    for (; *from != 'e'; from++)
        if (is_digit(*from))
            *at++ = *from;
    *at = '\0';
    bool is_negative = from[1] == '-';
    *exponent = 0;
    for (from += 2; is_digit(*from); from++)
        *exponent = 10 * *exponent + (*from - '0');
    *exponent = is_negative ? -*exponent : *exponent;
}

double mathematics_round(double number, int64_t digits)
{
    enum { MANY = 30, ENOUGH = 17, LARGEST = 400 };
    char text[64], whole[128];
    int exponent;
    double result = 0;
    if (!isfinite(number) || number == 0 || digits > LARGEST)
        return number;
    if (digits < -LARGEST)
        return copysign(0, number);
    print_digits(number, MANY, text, &exponent);
    int kept = exponent + 1 + (int)digits; /* significant digits */
    if (kept >= ENOUGH)
        return number;
    if (kept > 0) {
        print_digits(number, kept, text, &exponent);
        (void)snprintf(whole, sizeof whole, "%se%d", text, exponent + 1 - kept);
    } else { /* 0, or 1 in the last place, if that is nearer: text is d.ddd */
        bool is_above = *text > '5' || (*text == '5' && strspn(text + 1, "0") < strlen(text + 1));
        (void)snprintf(whole, sizeof whole, "%de%d", kept == 0 && is_above, -(int)digits);
    }
    (void)parse_double(whole, whole + strlen(whole), &result);
    return copysign(result, number);
}

/* ---- functions ---- */

static cp_status take_number(const struct call *call, uint32_t index, double *number)
{
    const struct value *value = &call->values[index];
    if (!value_is_number(value))
        return evaluation_fail(call->evaluation, "%s takes numbers, not %s", call->function->name,
                               value_kind_name(value));
    *number = value_number(value);
    return CP_OK;
}

/* A result that is no number, or infinite, is an error, unless an argument is so. */
static cp_status call_floats(const struct call *call, struct value *result)
{
    const struct value_function *function = call->function;
    double first = 0, second = 0, number;
    cp_status status = take_number(call, 0, &first);
    if (status == CP_OK && function->of_two)
        status = take_number(call, 1, &second);
    if (status != CP_OK)
        return status;
    number = function->of_two ? function->of_two(first, second) : function->of_one(first);
    bool is_undefined = isnan(number) && !isnan(first) && !isnan(second);
    if (is_undefined || (isinf(number) && isfinite(first) && isfinite(second)))
        return evaluation_fail(call->evaluation, "%s(%s%s%s) is not defined, or beyond the range of floats",
                               function->name, show_number(first).text, function->of_two ? ", " : "",
                               function->of_two ? show_number(second).text : "");
    *result = value_of_float(number);
    return CP_OK;
}

static cp_status call_whole(const struct call *call, struct value *result)
{
    double number = 0;
    if (call->values[0].kind == VALUE_INT || call->values[0].kind == VALUE_BOOL) {
        *result = value_of_int(value_integer(&call->values[0]));
        return CP_OK;
    }
    cp_status status = take_number(call, 0, &number);
    return status == CP_OK ? function_whole(call->evaluation, call->function->of_one(number), result) : status;
}

static double of_nan(double number)
{
    return isnan(number);
}

static double of_infinite(double number)
{
    return isinf(number) != 0;
}

static double of_finite(double number)
{
    return isfinite(number) != 0;
}

static cp_status call_test(const struct call *call, struct value *result)
{
    double number = 0;
    cp_status status = take_number(call, 0, &number);
    *result = value_of_bool(status == CP_OK && call->function->of_one(number) != 0);
    return status;
}

/* log(x), or log(x, base). */
static cp_status call_log(const struct call *call, struct value *result)
{
    double number[2] = {1, 1};
    for (uint32_t i = 0; i < call->count; i++) {
        cp_status status = take_number(call, i, &number[i]);
        if (status == CP_OK && (number[i] <= 0 || (i == 1 && number[i] == 1)))
            status = evaluation_fail(call->evaluation, "log of %s%s is not defined", i == 1 ? "the base " : "",
                                     show_number(number[i]).text);
        if (status != CP_OK)
            return status;
    }
    *result = value_of_float(call->count == 2 ? log(number[0]) / log(number[1]) : log(number[0]));
    return CP_OK;
}

/* These two multiply by the same factor as Python, to the last bit. */
static double to_degrees(double radians)
{
    return radians * (180.0 / PI);
}

static double to_radians(double degrees)
{
    return degrees * (PI / 180.0);
}

static const struct value_function functions[] = {
    {.name = "acos", 1, 1, call_floats, .of_one = acos},
    {.name = "acosh", 1, 1, call_floats, .of_one = acosh},
    {.name = "asin", 1, 1, call_floats, .of_one = asin},
    {.name = "asinh", 1, 1, call_floats, .of_one = asinh},
    {.name = "atan", 1, 1, call_floats, .of_one = atan},
    {.name = "atan2", 2, 2, call_floats, .of_two = atan2},
    {.name = "atanh", 1, 1, call_floats, .of_one = atanh},
    {.name = "ceil", 1, 1, call_whole, .of_one = ceil},
    {.name = "copysign", 2, 2, call_floats, .of_two = copysign},
    {.name = "cos", 1, 1, call_floats, .of_one = cos},
    {.name = "cosh", 1, 1, call_floats, .of_one = cosh},
    {.name = "degrees", 1, 1, call_floats, .of_one = to_degrees},
    {.name = "erf", 1, 1, call_floats, .of_one = erf},
    {.name = "erfc", 1, 1, call_floats, .of_one = erfc},
    {.name = "exp", 1, 1, call_floats, .of_one = exp},
    {.name = "expm1", 1, 1, call_floats, .of_one = expm1},
    {.name = "fabs", 1, 1, call_floats, .of_one = fabs},
    {.name = "floor", 1, 1, call_whole, .of_one = floor},
    {.name = "fmod", 2, 2, call_floats, .of_two = fmod},
    {.name = "hypot", 2, 2, call_floats, .of_two = hypot},
    {.name = "isfinite", 1, 1, call_test, .of_one = of_finite},
    {.name = "isinf", 1, 1, call_test, .of_one = of_infinite},
    {.name = "isnan", 1, 1, call_test, .of_one = of_nan},
    {.name = "log", 1, 2, call_log},
    {.name = "log10", 1, 1, call_floats, .of_one = log10},
    {.name = "log1p", 1, 1, call_floats, .of_one = log1p},
    {.name = "log2", 1, 1, call_floats, .of_one = log2},
    {.name = "pow", 2, 2, call_floats, .of_two = pow},
    {.name = "radians", 1, 1, call_floats, .of_one = to_radians},
    {.name = "remainder", 2, 2, call_floats, .of_two = remainder},
    {.name = "sin", 1, 1, call_floats, .of_one = sin},
    {.name = "sinh", 1, 1, call_floats, .of_one = sinh},
    {.name = "sqrt", 1, 1, call_floats, .of_one = sqrt},
    {.name = "tan", 1, 1, call_floats, .of_one = tan},
    {.name = "tanh", 1, 1, call_floats, .of_one = tanh},
    {.name = "trunc", 1, 1, call_whole, .of_one = trunc},
    {.name = NULL},
};

bool mathematics_find(const char *name, size_t size, struct value *result)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", PI}, {"e", 2.71828182845904523536}, {"tau", 2 * PI}, {"inf", INFINITY}, {"nan", NAN}};
    const struct value_function *function = function_named(functions, name, size);
    if (function) {
        *result = (struct value){.kind = VALUE_FUNCTION, .call = {.function = function}};
        return true;
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strlen(constants[i].name) == size && memcmp(constants[i].name, name, size) == 0) {
            *result = value_of_float(constants[i].value);
            return true;
        }
    return false;
}
