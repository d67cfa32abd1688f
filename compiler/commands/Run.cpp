// `flyc run`: one kernel on the emulator, its arguments from files and descriptions, its results to files.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/launch/SingleLaunch.h"
#include "compiler/target/DefaultTarget.h"

namespace fly::driver {

namespace {

class RunCommand final : public Command {
public:
  RunCommand() : Command("run", "Run one kernel of a .hsaco or .fly file on the emulator") { usesCache = true; }
  void declare(OptionTable &table) override {
    declareKernel(table);
    declareMemory(table);
    table.add("--order", settings.order, "Order in which waves run: ascending, descending, seed:N, interleaved:N")
        .type("ORDER")
        .showDefault()
        .more("interleaved waves alternate every few instructions");
    table.add("--threads", settings.threads, "Host threads: 0 for one per core; 1 makes every run the same")
        .type("N")
        .showDefault()
        .more("with 1 this is so even if a kernel's result depends on the order of its workgroups");
    table.add("--limit", settings.limit, "Stop the kernel with a fault after N wave instructions")
        .type("N")
        .more("the default is 4,000,000,000");
    table.add("--races", settings.races, "The same as --check=races")
        .more(
            "accesses of different waves to the same LDS with no barrier between them are a fault, stores of equal values a note; slower");
    emulatorOptions(table, settings.emulator);
    table
        .add("--matrix", settings.matrix,
             "How matrix instructions add: exact, as the machine does where that is known, or fast, in f32")
        .type("HOW")
        .showDefault()
        .more("fast is within the same error bound ([emulator.md](emulator.md#matrix-instructions))");
    declareTimes(table);
    table.add("--quiet,-q", settings.quiet, "Print no summary line");
    table.add("--time", settings.time, "Print how long each phase took");
    sourceOptions(table, options);
  }
  int run() override;

  void declareKernel(OptionTable &table);
  void declareMemory(OptionTable &table);
  void declareTimes(OptionTable &table);

  RunSettings settings;
};

void RunCommand::declareKernel(OptionTable &table) {
  table
      .add("file", settings.path,
           "A code object (.hsaco), a bundle, library, program, archive or folder that holds it, or a .fly file "
           "to compile")
      .required();
  table.add("--kernel", settings.kernel, "The kernel to run; required if the file has several").type("NAME");
  table
      .add("--arch", settings.arch,
           "Architecture to compile a .fly file for (default: " + std::string(target::defaultName) +
               "), or of the code object to run, if the file holds several")
      .type("ARCH");
  table
      .add("--grid", settings.grid,
           "Number of workgroups; missing axes are 1. An axis may be compute_units or 2*compute_units")
      .separatedBy(',')
      .type("X,Y,Z")
      .more("a `.fly` kernel has its own grid");
  table.add("--block", settings.block, "Work-items per workgroup")
      .separatedBy(',')
      .type("X,Y,Z")
      .more("a `.fly` kernel and a kernel with a required size have their own");
  table.add("--cluster", settings.cluster, "Workgroups per cluster (gfx1250)")
      .separatedBy(',')
      .type("X,Y,Z")
      .more("they must divide the grid; a `.fly` kernel and a kernel whose metadata sets a size have their own");
  table.add("--lds", settings.ldsBytes, "Dynamic LDS per workgroup").range(0, UINT32_MAX).type("BYTES");
}

void RunCommand::declareMemory(OptionTable &table) {
  table
      .add("--arg", settings.arguments,
           "An argument, in the kernel's order, or by name, position or offset (@16=...):\n"
           "  FILE.npy[:TYPE]                      a buffer with the contents of the file\n"
           "  zeros:TYPE[SHAPE] empty: arange:     a buffer\n"
           "  fill:VALUE:TYPE[SHAPE]\n"
           "  random:SEED:TYPE[SHAPE] normal:      random numbers\n"
           "  uniform:SEED:LOW:HIGH:TYPE[SHAPE]\n"
           "  FILE.npy:zeros:TYPE[SHAPE] ...       a buffer that is written to the file\n"
           "  TYPE:VALUE                           a value: i32:5, f16:1.5, u64:0xff\n"
           "  bytes:HEX bytes:@FILE                a structure passed by value\n"
           "  null lds:BYTES")
      .type("[NAME=]SPEC")
      .more("`--arg @16=ARGUMENT` puts it at byte 16 of the arguments, whatever the metadata says");
  table.add("--kernarg", settings.kernarg, "The bytes of the explicit arguments; each --arg replaces some of them")
      .notEmpty()
      .type("@FILE|HEX");
  table.add("--out", settings.outputs, "Write a buffer to a file after the run").type("NAME=FILE.npy");
  table.add("--print", settings.prints, "Print a buffer or part of it: c, c[:16], c[2,8:]")
      .type("NAME[PART]")
      .more("a whole buffer is printed with long axes shortened, a slice in full");
}

/// What is counted, and what the time model says.
void RunCommand::declareTimes(OptionTable &table) {
  table
      .add("--profile", settings.profile,
           "Count what is executed, and print it as text, json or annotate (annotated disassembly)")
      .orAlone("text");
  table.add("--profile-out", settings.profileOutput, "Write the profile to a file instead of standard output")
      .type("FILE");
  table
      .add("--time-model", settings.timeModel,
           "Model how long the kernel takes on the machine, and print it as text or json")
      .orAlone("text");
  table
      .add(
          "--time-out", settings.timeOutput,
          "Write the times to a file instead of standard output. With the extension .pftrace the waves of a compute unit, as a "
          "trace for Perfetto")
      .type("FILE")
      .needs("--time-model")
      .more("JSON as [timing.schema.json](schema/timing.schema.json) describes");
  table
      .add("--time-page", settings.timePage,
           "Write a page to look at: the waves of a compute unit over time, where the cycles go, the roofline. "
           "With the extension .svg only a still picture of the waves")
      .type("FILE")
      .needs("--time-model");
  timeOptions(table, settings.timing);
  for (const char *name : {"--machine", "--cus", "--rounds", "--sample", "--cold"})
    table.at(name).needs("--time-model");
}

int RunCommand::run() {
  Session session(options);
  int status = SingleLaunch(session, settings).run();
  session.finish();
  if (settings.time) {
    session.times.print(llvm::errs());
    session.cache.print(llvm::errs());
  }
  return status;
}

} // namespace

std::unique_ptr<Command> runCommand() { return std::make_unique<RunCommand>(); }

} // namespace fly::driver
