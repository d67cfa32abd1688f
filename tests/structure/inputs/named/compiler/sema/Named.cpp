// A comparison in a comment is none: arch == "gfx942".
struct Row {
  const char *arch;
} rows[] = {{"gfx942"}, {"gfx950"}}; /* nor is one in a comment of C: arch == "gfx942" */
const char *message = "there are kernels for gfx942 and gfx950";
void compile(Target target, StringRef arch) {
  if (arch == "gfx942") return;
  if ("gfx950" != arch) return;
  if (arch.starts_with("gfx9")) return;
  if (subtarget.checkFeatures("+gfx12-insts")) return;
  const bool isGfx12 = target.generation.encodings == Encodings::Gfx12;
  if (target.family == "CDNA 3") return;
}
