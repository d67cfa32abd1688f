// Writes the example launch as a page: for the browser's test, and to look at.
//
//     draw_timing_example page|timeline|svg|roofline|stalls [waves=4] [iterations=4] [exposed]
#include "compiler/timing/Pictures.h"
#include "tests/timing/Example.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace fly;

int main(int count, char **words) {
  timing::ExampleOptions options;
  const std::string what = count > 1 ? words[1] : "page";
  for (int i = 2; i < count; ++i) {
    if (!std::strncmp(words[i], "waves=", 6))
      options.waves = static_cast<unsigned>(std::atoi(words[i] + 6));
    else if (!std::strncmp(words[i], "iterations=", 11))
      options.iterations = static_cast<unsigned>(std::atoi(words[i] + 11));
    else if (!std::strcmp(words[i], "exposed"))
      options.hidden = false;
    else
      return std::fprintf(stderr, "draw_timing_example: what is `%s`?\n", words[i]), 1;
  }
  if (options.waves == 0 || options.waves > 1024)
    return std::fprintf(stderr, "draw_timing_example: 1 to 1024 waves\n"), 1;
  options.matrix = options.matrix * options.waves / 4;
  options.ldsReads = options.ldsReads * options.waves / 4;
  options.loads = options.loads * options.waves / 4;
  const emulator::Timing example = timing::exampleTiming(options);
  const timing::SourceLookup source = [](const std::string &, unsigned line) -> std::string {
    switch (line) {
    case 30: return "    for k in dynamic_range(0, K, tile_k):";
    case 31: return "      copy(load_atom, a_next, lds.a[stage])";
    case 36: return "      copy(lds_atom, lds.a[1 - stage], fragment_a)";
    case 41: return "      gemm(mma, fragment_c, fragment_a, fragment_b, fragment_c)";
    case 44: return "      wait_loads(8)";
    case 46: return "      barrier()";
    case 52: return "    copy(store_atom, fragment_c, tile_c)";
    default: return "";
    }
  };
  std::string out;
  if (what == "timeline")
    out = timing::timelineHtml(example, source);
  else if (what == "svg")
    out = timing::timelineSvg(example);
  else if (what == "roofline")
    out = timing::rooflineSvg(example);
  else if (what == "stalls")
    out = timing::stallsHtml(example, source);
  else
    out = timing::timingPage(example, source);
  std::fwrite(out.data(), 1, out.size(), stdout);
}
