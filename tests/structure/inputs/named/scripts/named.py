examples = {"ladder": ["--arch", "gfx950"]}
for arch in ["gfx942", "gfx950"]:  # a list is none: arch == "gfx942"
    lanes = 64 if arch in ("gfx942", "gfx950") else 32
    lanes = 64 if arch.startswith('gfx9') else 32
