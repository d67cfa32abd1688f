#!/usr/bin/env python3
"""Makes stdlib/fly/math_tables.fly: the polynomials and constants of fly.math, for f32 and f64.

    tools/minimax.py > stdlib/fly/math_tables.fly

Each polynomial is the minimax approximation of its function on its interval (Remez's exchange on a grid), weighted so
that its error counts relative to the function of fly.math that it ends up in. The degree is the least that meets the
bound. Coefficients are rounded to the format one after the other from the lowest, and the rest is fitted again to what
the rounding left; without that, the rounding of the low coefficients would cost more than the polynomial's own error.
A constant in parts is a sum of numbers of the format, each the nearest to what the earlier ones leave.

Needs mpmath; the output is in the repository, so that a build does not.
"""
import sys
from mpmath import mp, mpf, pi, log, exp, sin, cos, tan, atan, asin, sinh, tanh, erf, erfc, sqrt, cos as mpcos, lu_solve, matrix, floor

mp.dps = 45


def rounded(x, bits):
    """The nearest number with `bits` bits."""
    if x == 0:
        return mpf(0)
    _, exponent = mp.frexp(x)
    scale = mpf(2) ** (bits - exponent)
    return mp.nint(x * scale) / scale


def remez(values, weights, points, exponents):
    """Coefficients of the exponents that minimise max |weight * (value - polynomial)| over the points; and that maximum."""
    n, m = len(exponents), len(points)
    powers = [[p ** k for k in exponents] for p in points]
    chosen = sorted({min(m - 1, int(floor((1 - mpcos(pi * i / n)) / 2 * (m - 1) + mpf(1) / 2))) for i in range(n + 1)})
    best = None
    for _ in range(12):
        system, right = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for row, at in enumerate(chosen):
            for column in range(n):
                system[row, column] = powers[at][column]
            system[row, n] = (-1) ** row / weights[at]
            right[row] = values[at]
        solution = lu_solve(system, right)
        coefficients = [solution[i] for i in range(n)]
        errors = [w * (v - mp.fdot(coefficients, p)) for v, w, p in zip(values, weights, powers)]
        largest = max(abs(e) for e in errors)
        if best is None or largest < best[1]:
            best = coefficients, largest
        if largest <= abs(solution[n]) * mpf("1.02"):
            break
        runs = []                                   # the largest error of each stretch of one sign
        for i, e in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        if len(runs) < n + 1:
            break
        chosen = runs
    return best


def minimax(function, weight, low, high, bits, slack=4, terms=2):
    """Rounded coefficients from the lowest power up, with a weighted error below 2^-(bits + slack)."""
    bound = mpf(2) ** -(bits + slack)
    while True:
        m = 14 * terms + 60
        points = [(low + high) / 2 - (high - low) / 2 * mpcos(pi * (i + mpf(1) / 2) / m) for i in range(m)]
        weights = [weight(p) for p in points]
        values = [function(p) for p in points]
        best = remez(values, weights, points, list(range(terms)))
        if best[1] < bound:
            break
        terms += 1
    plain = [rounded(c, bits) for c in best[0]]
    def error(coefficients):
        return max(abs(w * (v - mp.polyval(coefficients[::-1], p))) for v, w, p in zip(values, weights, points))
    result, left = [], values
    while len(result) < terms:
        exponents = list(range(len(result), terms))
        fitted, _ = remez(left, weights, points, exponents)
        fixed = rounded(fitted[0], bits)
        result.append(fixed)
        left = [v - fixed * p ** exponents[0] for v, p in zip(left, points)]
    # Around zero the remainder of a polynomial has its own zero, and the exchange may not converge.
    result = min(result, plain, key=error)
    print(f"  {terms} terms, error 2^{float(log(error(result), 2)):.1f}", file=sys.stderr)
    return result


def parts(x, bits, count):
    result = []
    for _ in range(count):
        result.append(rounded(x, bits))
        x -= result[-1]
    return result


def odd(f, derivative=1):
    """(f(x) - x) / x^3 as a function of z = x^2, and the weight for f(x) = x + x^3 p(z)."""
    def value(z):
        x = sqrt(z)
        return (f(x) - x) / x ** 3
    def weight(z):
        x = sqrt(z)
        return x ** 3 / f(x)
    return value, weight


def erfcx_scaled(k):
    """erfc(x) exp(x^2) (x + k), smooth over t = (x - k) / (x + k) in [-1, 1)."""
    def value(t):
        x = k * (1 + t) / (1 - t)
        if x > 60:                                  # its asymptotic series
            term, total = mpf(1), mpf(1)
            for i in range(1, 12):
                term *= -(2 * i - 1) / (2 * x * x)
                total += term
            return total / (x * sqrt(pi)) * (x + k)
        return erfc(x) * exp(x * x) * (x + k)
    return value


ln2, half_pi = log(mpf(2)), pi / 2


def polynomials(bits):
    quarter = (pi / 4) * mpf("1.001")
    z = quarter ** 2
    tiny = mpf(10) ** -12
    yield "SIN", "sin(x) = x + x^3 p(x^2), |x| <= pi/4", minimax(*odd(sin), tiny, z, bits)
    yield "COS", "cos(x) = 1 - x^2/2 + x^4 p(x^2), |x| <= pi/4", minimax(
        lambda t: (cos(sqrt(t)) - 1 + t / 2) / t ** 2, lambda t: t ** 2 / cos(sqrt(t)), mpf("1e-8"), z, bits)
    yield "TAN", "tan(x) = x + x^3 p(x^2), |x| <= pi/4", minimax(*odd(tan), tiny, z, bits)
    yield "ATAN", "atan(x) = x + x^3 p(x^2), |x| <= 1", minimax(*odd(atan), tiny, mpf(1), bits)
    yield "ASIN", "asin(x) = x + x^3 p(x^2), |x| <= 1/2", minimax(*odd(asin), tiny, mpf(1) / 4, bits)
    r = ln2 / 2 * mpf("1.01")
    yield "EXP", "exp(x) = 1 + x + x^2 p(x), |x| <= ln(2)/2", minimax(
        lambda x: (exp(x) - 1 - x) / x ** 2, lambda x: abs(x ** 2 / mp.expm1(x)), -r, r, bits)
    yield "EXP2", "2^x = 1 + x p(x), |x| <= 1/2", minimax(
        lambda x: mp.expm1(x * ln2) / x, lambda x: abs(x) / exp(x * ln2), -mpf("0.505"), mpf("0.505"), bits)
    s2 = (mpf("0.1717")) ** 2
    atanh_rest = lambda t: (mp.atanh(sqrt(t)) / sqrt(t) - 1) / t
    yield "LOG", "atanh(x) = x + x^3 p(x^2), |x| <= tan(pi/8)^2", minimax(atanh_rest, lambda t: t, tiny, s2, bits)
    # of pow: the terms that need more than the format's precision are separate
    leading = [mpf(1) / 3] if bits == 24 else [mpf(1) / 3, mpf(1) / 5]
    rest = lambda t: (atanh_rest(t) - sum(c * t ** i for i, c in enumerate(leading))) / t ** len(leading)
    yield "POW", f"atanh(x) = x + x^3/3{' + x^5/5' if bits == 53 else ''} + x^{3 + 2 * len(leading)} p(x^2), |x| <= tan(pi/8)^2", \
        minimax(rest, lambda t: t ** (len(leading) + 1), mpf("1e-6"), s2, bits, 14)
    yield "SINH", "sinh(x) = x + x^3 p(x^2), |x| <= 1", minimax(*odd(sinh), tiny, mpf(1), bits)
    yield "TANH", "tanh(x) = x + x^3 p(x^2), |x| <= 0.55", minimax(*odd(tanh), tiny, mpf("0.31"), bits)
    yield "ERF", "erf(x) = x + x p(x^2), |x| <= 1", minimax(
        lambda t: erf(sqrt(t)) / sqrt(t) - 1, lambda t: sqrt(t) / erf(sqrt(t)), tiny, mpf("1.001"), bits)
    k = mpf(4) if bits == 53 else mpf(3)
    f = erfcx_scaled(k)
    most = mpf(28) if bits == 53 else mpf(11)
    yield "ERFC", f"erfc(x) exp(x^2) (x + {int(k)}) = p((x - {int(k)}) / (x + {int(k)})), 0 <= x <= {int(most)}", minimax(
        f, lambda t: 1 / f(t), mpf(-1), (most - k) / (most + k), bits, 3, 8)


def constants(bits):
    yield "HALF_PI", "pi/2", parts(half_pi, bits, 3)
    yield "INVERSE_HALF_PI", "2/pi", parts(2 / pi, bits, 1)
    yield "LN2", "ln 2", parts(ln2, bits, 3)
    yield "LOG2_E", "1/ln 2", parts(1 / ln2, bits, 2)
    yield "LOG10_E", "1/ln 10", parts(1 / log(mpf(10)), bits, 2)
    yield "LOG10_2", "lg 2", parts(log(mpf(2), 10), bits, 2)
    yield "LOG2_10", "1/lg 2", parts(log(mpf(10), 2), bits, 2)
    yield "LN10", "ln 10", parts(log(mpf(10)), bits, 2)
    yield "THIRD", "1/3", parts(mpf(1) / 3, bits, 2)
    yield "FIFTH", "1/5", parts(mpf(1) / 5, bits, 2)


def text(x, bits):
    return f"{float(x):.9g}" if bits == 24 else repr(float(x))


def row(numbers, bits):
    lines, line = [], "    ("
    for number in numbers:
        word = text(number, bits) + ","
        if len(line) + len(word) > 118:
            lines.append(line.rstrip())
            line = "     "
        line += word + " "
    lines.append(line.rstrip()[:-1] + ("," if len(numbers) == 1 else "") + "),")
    return lines


def main():
    print('"""The polynomials and constants of fly.math. Made by tools/minimax.py; do not edit.')
    print()
    print("Each is a pair: of f32 and of f64. Polynomials begin with the constant term; constants in parts with the largest.")
    print('"""')
    for make in (constants, polynomials):
        for (name, what, single), (_, what64, double) in zip(make(24), make(53)):
            print(name, file=sys.stderr)
            print(f"\n# {what}" + (f"; f64: {what64}" if what64 != what else ""))
            print(f"{name} = (")
            print("\n".join(row(single, 24) + row(double, 53)))
            print(")")
    bits = 1216
    mp.prec = bits + 200
    scaled = int(floor(2 / pi * mpf(2) ** bits))
    words = [(scaled >> (bits - 32 * (i + 1))) & 0xFFFFFFFF for i in range(bits // 32)]
    print("\n# The bits of 2/pi after the binary point, 32 per word.")
    print("TWO_OVER_PI = (")
    for i in range(0, len(words), 8):
        print("    " + ", ".join(f"0x{w:08x}" for w in words[i:i + 8]) + ",")
    print(")")


if __name__ == "__main__":
    main()
