"""Instructions that flyc's front end executes per elaborated operation, for programs of growing size.

    python3 tests/benchmark/front_end.py build/bin/flyc [--sizes 1000,10000,100000] [--check]

Each shape of program is generated at each size and elaborated (`flyc build --emit=fly`); what an empty kernel costs is
subtracted. Instructions are counted by `perf stat`, where that is not allowed by valgrind's callgrind (some fifty times
slower), and where there is none of them time stands in for them.
A front end that is linear shows the same number in each row; `--check` fails if the largest size costs more than twice
as much an operation as the smallest, or four times where the clock is the measure.
"""
import argparse, os, subprocess, sys, tempfile

KERNEL = "@kernel(block=64, grid=1)\ndef k(a: InOut[i32, (4096,)], n: i32):\n"


def straight_line(n):
    return KERNEL + "    x = n\n" + "".join(f"    x = x * {i % 7 + 2} + n\n" for i in range(n // 2)) + "    a[0] = x\n"


def unrolled(n):
    return KERNEL + f"    x = n\n    for i in unroll({n // 2}):\n        x = x * n + i\n    a[0] = x\n"


def compile_time(n):
    return f"total = 0\nfor i in range({n // 2}):\n    total += i * 3\n" + KERNEL + "    a[0] = total % 5\n"


def functions(n):
    count = n // 4
    text = "".join(f"def f{i}(x):\n    y = x + {i}\n    return y * y\n\n\n" for i in range(count))
    return text + KERNEL + "    x = n\n" + "".join(f"    x = f{i}(x)\n" for i in range(count)) + "    a[0] = x\n"


def branches(n):
    """As many variables as branches: what a branch does not assign must cost nothing."""
    count = n // 8
    text = KERNEL + "".join(f"    v{i} = n + {i}\n" for i in range(count))
    text += "".join(f"    if n > {i}:\n        v{i} = v{i} * n\n" for i in range(count))
    return text + "".join(f"    a[{i % 4096}] = v{i}\n" for i in range(count))


def loops(n):
    count = n // 16
    text = KERNEL + "".join(f"    v{i} = n + {i}\n" for i in range(count))
    text += "".join(f"    for i in range(n):\n        v{i} = v{i} * n + i\n" for i in range(count))
    return text + "".join(f"    a[{i % 4096}] = v{i}\n" for i in range(count))


def lists(n):
    return (f"xs = []\nd = {{}}\nfor i in range({n // 4}):\n    xs.append(i)\n    d[i] = xs[i]\n"
            + KERNEL + "    a[0] = d[len(xs) - 1] % 5\n")


SHAPES = [straight_line, unrolled, compile_time, functions, branches, loops, lists]


def counter(flyc, path):
    """(instructions or nanoseconds, which)"""
    command = [flyc, "build", path, "--emit=fly", "-o", "-"]
    perf = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", path + ".perf", "--"] + command
    try:
        subprocess.run(perf, stdout=subprocess.DEVNULL, check=True)
        for line in open(path + ".perf"):
            fields = line.split(",")
            if len(fields) > 2 and "instructions" in fields[2] and fields[0].isdigit():
                return int(fields[0]), "instructions"
    except (OSError, subprocess.CalledProcessError):
        pass
    try:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + command,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in run.stderr.splitlines():
            if run.returncode == 0 and "Collected :" in line:
                return int(line.split()[-1]), "instructions"
    except OSError:
        pass
    start = os.times().children_user
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return int((os.times().children_user - start) * 1e9), "ns"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyc")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        def measure(text, name):
            path = os.path.join(folder, name + ".fly")
            with open(path, "w") as out:
                out.write(text)
            return counter(options.flyc, path)
        base, unit = measure(KERNEL + "    pass\n", "empty")
        print(f"{unit} an operation".ljust(28) + "".join(f"{size:>12}" for size in sizes))
        for shape in SHAPES:
            if options.only and shape.__name__ not in options.only.split(","):
                continue
            row = [(measure(shape(size), shape.__name__)[0] - base) / size for size in sizes]
            print(shape.__name__.ljust(28) + "".join(f"{each:>12.0f}" for each in row), flush=True)
            if options.check and row[-1] > (2 if unit == "instructions" else 4) * max(row[0], 1000):
                print(f"{shape.__name__}: not linear")
                failed = True
    sys.exit(failed)


main()
