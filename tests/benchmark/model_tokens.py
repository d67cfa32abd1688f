"""Tokens per second of whole models, as the time model has them: the tables of docs/model.md.

    model_tokens.py                     prints the tables, from model_tokens.json
    model_tokens.py --write             writes them into the page
    model_tokens.py --check             compares them with the page
    model_tokens.py --measure flyc      models what model_tokens.json lacks, and writes it
    model_tokens.py --quick flyc        models a small one, and one launch function of the tables, in a few seconds

A step of a model is a list of launches (model_steps.py): those of `attend` or `prefill`, and of `feed` or the experts, for each
layer, and those of `head` and `best`. Each is modelled at its true shape with the memory-side cache empty (`flyc bench --cold`),
because the weights of a layer push those of the layer before out of it. Only the workgroups of one XCD are executed (`--sample`),
except where they differ: launch functions get inputs that are defined (model_tokens.fly), so that no kernel needs the results of
another.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import tempfile

from generated_section import Section, conclude, run_json
from model_steps import (all_cases, bound, fits, KEYS, label_bound, Launch, LLAMA_70B, LLAMA_8B, MACHINES, modelled, NARROW, PROMPT,
                         Setting, SETTINGS, SMALL, Step, step_time, STEPS)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "benchmark"
RESULTS = HERE / "model_tokens.json"
SECTION = Section("model_tokens.py", ROOT / "docs" / "model.md")
FOLDERS = [HERE, ROOT / "kernels", ROOT / "docs" / "example" / "llm"]


def measure(flyc, arch, cases, sample=True):
    """The launches of each case."""
    functions = sorted({case.split("(")[0] for case in cases})
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "cases.fly"
        path.write_text(f"from model_tokens import FORMATS, {', '.join(functions)}\n" +
                        "".join(f"\n\n@bench\ndef c{i}():\n    {case}\n" for i, case in enumerate(cases)))
        how = ["--sample", "--cus", "xcd"] if sample else ["--cus", "all"]
        found = run_json(flyc, "bench", path, "--arch", arch, "--json", "--cold", *how, "--compute-units",
                         MACHINES[arch].units, *[word for each in FOLDERS for word in ("-I", each)])
    for bench in found["benches"]:
        yield cases[int(bench["bench"][1:])], [figures(each) for each in bench["launches"]]


def figures(launch):
    timing = launch["timing"]
    return Launch(launch["kernel"], timing["cycles"], timing["bound"], round(timing["busy"]["matrix"], 3))


def read_results():
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return {key: {case: [Launch(*each) for each in launches] for case, launches in cases.items()} for key, cases in known.items()}


# The same launches with every workgroup executed and all compute units simulated.
WHOLE = ["attention_half(8, 1, 1024, 4096, 32, 8)", "gated_half(1, 4096, 14336)", "gated_half(64, 4096, 1792)",
         "gated_half(512, 2048, 2048)", 'experts(8, 4096, 1792, 8, 2, FORMATS["bf16"])']


def takes_all(case):
    """Whether the case is executed as a whole: sorting needs what the kernel before it has written, and the workgroups of causal
    attention have more or less to do than others."""
    return case.startswith("routing") or re.match(rf"attention_half\(\d+, (?!1,)\d+, \d+, {NARROW},", case) is not None


def chunks(cases):
    """Lists of cases that one process models, and whether only some workgroups are executed."""
    for all in (False, True):
        some = [each for each in cases if takes_all(each) == all]
        yield from ((some[i:i + 4], not all) for i in range(0, len(some), 4))


def measure_all(flyc):
    """What model_tokens.json lacks, and nothing that it has no need for."""
    known = read_results()
    results, tasks = {}, []
    for arch in MACHINES:
        for key, cases in ((arch, list(dict.fromkeys(all_cases(arch, SETTINGS, STEPS) + WHOLE))), (f"{arch} whole", WHOLE)):
            had = known.get(key, {})
            results[key] = {case: had[case] for case in cases if case in had}
            lacking = [case for case in cases if case not in had]
            tasks += [(key, *each) for each in (chunks(lacking) if key == arch else (([case], False) for case in lacking))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        run = lambda task: (task[0], dict(measure(flyc, task[0].split()[0], *task[1:])))
        for done in concurrent.futures.as_completed([pool.submit(run, task) for task in tasks]):
            key, found = done.result()
            results[key].update(found)
            write_results(results)


def write_results(results):
    """A line for each case."""
    lines = [f'  {json.dumps(key)}: {{\n' + ",\n".join(f"    {json.dumps(case)}: {json.dumps(results[key][case])}"
                                                      for case in sorted(results[key])) + "\n  }" for key in results]
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def number(x):
    """Three digits."""
    return f"{x:.3g}" if x < 100 else f"{float(f'{x:.3g}'):,.0f}"


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|---" + "|--:" * (len(columns) - 1) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def step_name(step):
    return (f"decode, batch {step.batch}, {step.keys:,} keys" if step.rows == 1 else f"prefill, {step.rows:,} tokens")


def largest(labels, whole):
    """The labels that take a tenth or more of the time, the longest first."""
    shares = sorted(((time.middle / whole.middle, label) for label, time in labels.items()), reverse=True)
    return ", ".join(f"{label} {share:.0%}" for share, label in shares if share >= 0.1)


COLUMNS = ["step", "tokens/s", "range", "kernels alone", "of the bound", "of the bound, alone", "where the time goes"]


def summary(results):
    """Tokens per second, and how much that is of the bound."""
    steps = [Step(1, 1, 1024), Step(64, 1, 1024), Step(256, 1, 1024), Step(1, PROMPT, PROMPT)]
    rows = []
    for setting in SETTINGS:
        cells = []
        for arch, machine in MACHINES.items():
            for step in steps:
                fit = modelled(results, arch, setting, step)
                seconds = step_time(results, arch, setting, step)[0].middle if fit else 0
                cells.append(f"{number(step.tokens() / seconds)} ({bound(setting, step, machine) / seconds:.0%})" if fit else "")
        rows.append([setting.name(), *cells])
    names = [f"{machine.name}, {f'batch {step.batch}' if step.rows == 1 else 'prefill'}" for machine in MACHINES.values()
             for step in steps]
    return table(["1,024 keys", *names], rows)


def speeds(results, arch):
    machine = MACHINES[arch]
    for setting in SETTINGS:
        lines = []
        for step in STEPS:
            if not modelled(results, arch, setting, step):
                lines.append([step_name(step), "not modelled" if fits(setting, step, machine) else "does not fit"] + [""] * 5)
                continue
            whole, labels = step_time(results, arch, setting, step)
            rate = lambda seconds: number(step.tokens() / seconds)
            least = bound(setting, step, machine)
            lines.append([step_name(step), rate(whole.middle), f"{rate(whole.most)} to {rate(whole.least)}", rate(whole.alone),
                          f"{least / whole.middle:.0%}", f"{least / whole.alone:.0%}", largest(labels, whole)])
        yield f"**{setting.name()}**"
        yield ""
        yield from table(COLUMNS, lines)


LABELS = ["q, k, v", "attention", "o", "gate, up", "down", "experts, first", "experts, second", "logits"]


def shares_of_bound(results, arch):
    """Of each label the rate of the data sheet that it reaches, without the time between launches."""
    columns = [step for step in STEPS if step.rows > 1 or step.keys == 1024]
    rows = []
    for setting in SETTINGS:
        for label in LABELS:
            cells = []
            for step in columns:
                cell = ""
                if modelled(results, arch, setting, step):
                    labels = step_time(results, arch, setting, step)[1]
                    if label in labels:
                        cell = f"{label_bound(label, setting, step, MACHINES[arch]) / labels[label].alone:.0%}"
                cells.append(cell)
            if any(cells):
                rows.append([f"{setting.name()}: {label}", *cells])
    names = [f"batch {step.batch}" if step.rows == 1 else "prefill" for step in columns]
    return table(["kernels", *names], rows)


# Seconds of whole requests, of 128 tokens that are read and 2048 that are written (MI300X Latency of ROCm/vllm's
# docs/dev-docker/README.md, 20251103), by batch.
VLLM_70B = {1: 16.154, 8: 20.800, 64: 32.539}
# Per cent of a decoding step on MI300X, batch 1, 1,024 keys, Llama 3 8B in bf16 (DistServe/test-sample, decode_comparison.csv).
DISTSERVE = {"q, k, v": 10.227, "attention": 7.277, "o": 7.622, "gate, up": 35.468, "down": 19.464, "logits": 4.515}
# Microseconds of a product m x 1280 x 8192 in 8 bits on MI300X, weights shuffled beforehand (ROCm/aiter pull request 1092).
AITER = {1: 10.70, 64: 10.80, 256: 46.90}


def beside(results):
    setting = Setting(LLAMA_70B, "fp8", 8)
    rows = []
    for batch, seconds in VLLM_70B.items():
        step = Step(batch, 1, 1024)
        whole, _ = step_time(results, "gfx942", setting, step)
        rate = lambda seconds: number(batch / seconds)
        rows.append([str(batch), number(batch * 2048 / seconds), rate(whole.middle), f"{rate(whole.most)} to {rate(whole.least)}"])
    yield from table([f"{setting.name()}, MI300X: batch", "published, tokens/s", "modelled", "range"], rows)
    whole, labels = step_time(results, "gfx942", Setting(LLAMA_8B, "bf16"), Step(1, 1, 1024))
    rows = [[label, f"{share:.1f}", f"{100 * labels[label].middle / whole.middle:.1f}"] for label, share in DISTSERVE.items()]
    rest = sum(time.middle for label, time in labels.items() if label not in DISTSERVE)
    rows.append(["all else", f"{100 - sum(DISTSERVE.values()):.1f}", f"{100 * rest / whole.middle:.1f}"])
    yield from table(["Llama 8B, bf16, MI300X, batch 1, 1,024 keys: kernels", "published, % of the step", "modelled"], rows)
    rows = []
    for m, us in AITER.items():
        _, labels = step_time(results, "gfx942", setting, Step(m, 1, 1024))
        rows.append([str(m), number(us), number(1e6 * labels["q, k, v"].alone / LLAMA_70B.layers),
                     number(1e6 * labels["q, k, v"].middle / LLAMA_70B.layers)])
    yield from table(["product of m × 1280 × 8192 in fp8, MI300X: m", "published, us", "modelled", "with the launch"], rows)


def shortcut(results):
    """How far sampled workgroups are from all of them."""
    rows = []
    for arch in MACHINES:
        for case, whole in results[f"{arch} whole"].items():
            a, b = (sum(each.cycles for each in launches) for launches in (results[arch][case], whole))
            worst = max((abs(x.cycles / y.cycles - 1), x.kernel) for x, y in zip(results[arch][case], whole))
            rows.append([f"{arch}, `{case}`", f"{b:,}", f"{a:,}", f"{a / b - 1:+.1%}", f"{worst[0]:.1%}, `{worst[1]}`"])
    return table(["launch function", "cycles, everything executed", "one XCD", "difference", "largest of a kernel"], rows)


def tables(results):
    lines = ["### All models", "", *summary(results)]
    for arch, machine in MACHINES.items():
        lines += [f"### {machine.name} ({arch})", "", *speeds(results, arch)]
    lines += ["### Beside what others publish", "", *beside(results)]
    for arch, machine in MACHINES.items():
        lines += [f"### Of the bound, kernel by kernel, {machine.name}", "", *shares_of_bound(results, arch)]
    return "\n".join(lines + ["### One XCD for all", "", *shortcut(results)])


def quick(flyc, results):
    """A small model keeps below its bound; a launch function of the tables takes as long as they say, to 10 %."""
    complaints, setting, step = [], Setting(SMALL, "bf16"), Step(4, 1, KEYS[0])
    case, arch = "gated_half(1, 4096, 14336)", "gfx942"
    now, known = (sum(each.cycles for each in launches)
                  for launches in (dict(measure(flyc, arch, [case]))[case], results[arch][case]))
    if abs(now / known - 1) > 0.1:
        complaints.append(f"{arch}: {case} takes {now} cycles, model_tokens.json says {known}: remove model_tokens.json and run "
                          "model_tokens.py --measure build/bin/flyc, then --write")
    arch = "gfx950"
    whole, _ = step_time({arch: dict(measure(flyc, arch, all_cases(arch, [setting], [step])))}, arch, setting, step)
    least = bound(setting, step, MACHINES[arch])
    if not least < whole.least < whole.middle < whole.most:
        complaints.append(f"{arch}: {step_name(step)} of a small model: {whole}, bound {least}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", metavar="FLYC")
    parser.add_argument("--quick", metavar="FLYC")
    options = parser.parse_args()
    if options.measure:
        measure_all(options.measure)
    results = read_results()
    text = tables(results)
    if options.write:
        SECTION.write(text)
    elif options.check or options.quick:
        complaints = [] if SECTION.read().strip() == text.strip() else ["docs/model.md is not what model_tokens.py --write writes"]
        conclude(complaints + (quick(options.quick, results) if options.quick else []), "the tables of docs/model.md are up to date")
    else:
        print(text)


if __name__ == "__main__":
    main()
