"""What fly/numbers.h must give, from the definitions of the formats in exact fractions."""
import bisect
import random
import struct
import subprocess
import sys
from fractions import Fraction

# Name -> (bits of the exponent, of the mantissa, bias, kind).
FORMATS = [
    (5, 10, 15, "ieee"),
    (8, 7, 127, "ieee"),
    (4, 3, 7, "fn"),
    (5, 2, 15, "ieee"),
    (4, 3, 8, "fnuz"),
    (5, 2, 16, "fnuz"),
]


def value(form, code):
    """A fraction, "nan", "inf" or "-inf"; -0 is "-0"."""
    exponent, mantissa, bias, kind = form
    sign, magnitude = code >> exponent + mantissa, code & (1 << exponent + mantissa) - 1
    e, m = magnitude >> mantissa, magnitude & (1 << mantissa) - 1
    if kind == "fnuz" and sign and not magnitude:
        return "nan"
    if kind == "ieee" and e == (1 << exponent) - 1:
        return "nan" if m else "-inf" if sign else "inf"
    if kind == "fn" and magnitude == (1 << exponent + mantissa) - 1:
        return "nan"
    found = Fraction(m + (e > 0) * (1 << mantissa)) * Fraction(2) ** (max(e, 1) - bias - mantissa)
    return -found if sign and found else "-0" if sign else found


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def same(found, wanted):
    """A float's bits and what it should be."""
    number = float_of(found)
    if isinstance(wanted, str):
        return wanted == ("nan" if number != number else "-0" if found == 0x80000000 else str(number))
    return found != 0x80000000 and number == number and abs(number) != float("inf") and Fraction(number) == wanted


def encoded(form, positive, bits, saturate):
    """The code that is right, of what is not a NaN. `positive`: the finite values of codes without the sign, in order."""
    exponent, mantissa, _, kind = form
    sign = (bits >> 31) << exponent + mantissa
    number = float_of(bits & 0x7FFFFFFF)
    beyond = {"ieee": sign | len(positive), "fn": sign | 0x7F, "fnuz": 0x80}[kind]
    if number == float("inf"):
        code = len(positive)
    else:
        exact = Fraction(number)
        step = positive[-1] - positive[-2]
        code = bisect.bisect_left(positive, exact)
        if code == len(positive):  # beyond the largest: as if the next one were there
            rest = exact - positive[-1]
            code -= 2 * rest < step or (2 * rest == step and len(positive) % 2 == 1)
        elif positive[code] != exact:
            below, above = exact - positive[code - 1], positive[code] - exact
            code -= below < above or (below == above and code % 2 == 1)
    if code >= len(positive):
        return sign | len(positive) - 1 if saturate else beyond
    return 0 if kind == "fnuz" and not code else sign | code


def main():
    chance = random.Random(7)
    asked, wanted = [], []
    decoded = 0
    for index, form in enumerate(FORMATS):
        width = 1 + form[0] + form[1]
        for code in range(1 << width):
            asked.append(f"d {index} {code}")
            wanted.append(lambda found, form=form, code=code: same(found, value(form, code)))
            decoded += 1
        positive = [v for v in (value(form, code) for code in range(1 << width - 1)) if isinstance(v, Fraction)]
        numbers = [0, 0x7F800000, 0x7FC00000, 0x7F800001, 0x7F7FFFFF, 1]
        for code in range(0, len(positive), max(1, len(positive) // 400)):
            at = bits_of(float(positive[code]))
            middle = bits_of(float((positive[code] + positive[min(code + 1, len(positive) - 1)]) / 2))
            numbers += [at, at + 1, max(at - 1, 0), middle, middle + 1, max(middle - 1, 0)]
        step = positive[-1] - positive[-2]
        for half in (1, 2):
            if positive[-1] + step * half / 2 < 2**128 - 2**103:
                limit = bits_of(float(positive[-1] + step * half / 2))
                numbers += [limit - 1, limit, limit + 1]
        numbers += [chance.getrandbits(31) for _ in range(300)]
        for bits in numbers:
            for negative in (0, 1 << 31):
                for saturate in (0, 1):
                    asked.append(f"e {index} {saturate} {bits | negative}")
                    a = form, positive, bits | negative, saturate
                    wanted.append(
                        (lambda found, form=form: value(form, found) == "nan")
                        if bits > 0x7F800000
                        else (lambda found, a=a: found == encoded(*a))
                    )
    for program in sys.argv[1:]:
        done = subprocess.run([program], input="\n".join(asked), capture_output=True, text=True, check=True)
        answers = done.stdout.split()
        wrong = [i for i, is_right in enumerate(wanted) if i >= len(answers) or not is_right(int(answers[i]))]
        for i in wrong[:10]:
            print(asked[i], *answers[i : i + 1])
        print(f"{decoded} codes and {len(asked) - decoded} numbers: {len(wrong)} differ")


main()
