# The folders of the tree, in the order in which they may use each other: includes and calls run one way.
#
#   fly_folder(compiler/atom DOES "what it does" USES layout)
#
# What is in a folder may include headers of those that its row names, and call what these, and those that they name, define.
# `compiler/` and `runtime/` are left out of names after USES. scripts/folder_table.py makes the table in docs/architecture.md
# of this list; tests/structure/includes.py holds every include against it, tests/structure/symbols.py every object.
set_property(GLOBAL PROPERTY FLY_FOLDERS "")
function(fly_folder name)
  cmake_parse_arguments(ARG "" "DOES" "USES" ${ARGN})
  get_property(known GLOBAL PROPERTY FLY_FOLDERS)
  foreach(used IN LISTS ARG_USES)
    if(NOT used IN_LIST known AND NOT "compiler/${used}" IN_LIST known AND NOT "runtime/${used}" IN_LIST known)
      message(FATAL_ERROR "cmake/Folders.cmake: ${name} uses ${used}, whose row is not above it")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY FLY_FOLDERS ${name})
endfunction()

fly_folder(compiler/text
  DOES "words with their counts, escapes of markup; headers alone")
fly_folder(compiler/diagnostics
  DOES "source files and places in them, the table of diagnostics, their explanations, how they are printed"
  USES text)
fly_folder(compiler/syntax
  DOES "indentation, parser, syntax tree"
  USES diagnostics)
fly_folder(compiler/format
  DOES "the usual form of a file: logical lines, spaces, line breaks"
  USES diagnostics syntax)
fly_folder(compiler/doc
  DOES "a module as Markdown, from its tree"
  USES syntax format)
fly_folder(compiler/host
  DOES "values on the host: number formats, arrays of checks, launch-time expressions")
fly_folder(compiler/layout
  DOES "the layout algebra as plain C++ values")
fly_folder(compiler/atom
  DOES "what instructions move and multiply: kinds, widths, thread/value layouts; no MLIR"
  USES layout)
fly_folder(compiler/picture
  DOES "layouts as pictures: cells, and one writer each for text, SVG, HTML"
  USES text layout)
fly_folder(compiler/target
  DOES "one table row per architecture")
fly_folder(compiler/container
  DOES "finds code objects in bundles, libraries, archives, and the size of an image in memory")
fly_folder(compiler/protocol
  DOES "what the transforms tell the code generator in LLVM IR: statements and attributes, each with its name, writer and parser; no MLIR")
fly_folder(compiler/dialect
  DOES "the Fly dialect: types, operations, verifiers, folds, promotion of slots"
  USES layout atom target protocol)
fly_folder(compiler/analysis
  DOES "what is asked of a whole kernel: analyses of its Fly IR, and rewrites that need all of it"
  USES diagnostics layout atom target protocol dialect)
fly_folder(compiler/transforms
  DOES "passes and the pipelines they form"
  USES layout target protocol dialect)
fly_folder(compiler/reference
  DOES "the reference interpreter of Fly IR, without what makes machine code of it"
  USES layout target dialect)
fly_folder(compiler/artifact
  DOES "metadata JSON, manifests, C headers, sources for Python and for TVM's FFI, writing files whole or not at all"
  USES text host)
fly_folder(compiler/isa
  DOES "decodes machine code into instructions with operands by role"
  USES text target)
fly_folder(compiler/dataflow
  DOES "data flow over machine code: the solver, live registers, memory operations in flight and what waits for them"
  USES target isa)
fly_folder(compiler/codegen
  DOES "LLVM dialect to LLVM IR, object, code object, all in this process: the interface, and what its rooms share"
  USES target artifact)
fly_folder(compiler/codegen/ir
  DOES "passes over LLVM IR"
  USES target protocol artifact codegen)
fly_folder(compiler/codegen/machine
  DOES "passes over the backend's machine code"
  USES target protocol isa codegen codegen/ir)
fly_folder(compiler/codegen/check
  DOES "what is read back from the object that LLVM made"
  USES target isa dataflow codegen/machine)
fly_folder(compiler/codegen/faults
  DOES "passes that avoid wrong code of LLVM ([trust.md](trust.md))"
  USES target protocol codegen codegen/machine)
fly_folder(compiler/codegen/pipeline
  DOES "from a module to an object, from objects to a code object"
  USES target isa codegen codegen/ir codegen/machine codegen/check codegen/faults)
fly_folder(compiler/report
  DOES "what machine code is: counts, loops, live registers, waits, occupancy, as JSON and text"
  USES text target isa dataflow)
fly_folder(compiler/verify
  DOES "proves of machine code that it waits for its memory operations and keeps distances, on every path"
  USES text target isa dataflow)
fly_folder(compiler/assembly
  DOES "kernels as streams of exact instructions: registers, waits, listings, objects; machine code as such a kernel"
  USES target isa dataflow verify)
fly_folder(compiler/sema/value
  DOES "values at all binding times, and operations on them that need no elaboration; emits nothing"
  USES text diagnostics syntax host layout dialect)
fly_folder(compiler/sema/module
  DOES "finds, parses and keeps the files of modules"
  USES diagnostics syntax sema/value)
fly_folder(compiler/sema/elaborator
  DOES "the evaluator's interface, and what all rooms after it need: binding of arguments, kinds, suggestions, trials"
  USES text diagnostics syntax target dialect sema/value sema/module)
fly_folder(compiler/sema/number
  DOES "numbers, vectors and texts: constants, conversions, small floats, fast-math, methods of containers"
  USES dialect sema/value sema/elaborator)
fly_folder(compiler/sema/memory
  DOES "pointers, accesses, atomics, cache policies"
  USES target dialect sema/elaborator sema/number)
fly_folder(compiler/sema/isa
  DOES "kernels with `isa=True`: registers, labels, the ABI and calls of instructions, recorded as a stream"
  USES text isa assembly sema/value sema/elaborator sema/number)
fly_folder(compiler/sema/tensor
  DOES "layouts, coordinates and views: tensors, fragments, coordinate tensors, LDS"
  USES text diagnostics layout dialect analysis sema/value sema/elaborator sema/isa sema/number sema/memory)
fly_folder(compiler/sema/control
  DOES "run-time branches and loops, and where paths join"
  USES syntax dialect sema/value sema/elaborator sema/number sema/memory sema/tensor)
fly_folder(compiler/sema/prelude
  DOES "functions that need no import: mathematics, sequences, wave operations, output, clusters"
  USES text host layout dialect sema/value sema/module sema/elaborator sema/number sema/memory sema/tensor)
fly_folder(compiler/sema/atom
  DOES "copy atoms, MMA atoms, tiled copies and tiled MMAs in the language, and what is checked of a copy and a product"
  USES text atom dialect analysis sema/value sema/elaborator sema/number sema/memory sema/tensor sema/prelude)
fly_folder(compiler/sema/amd
  DOES "the module `fly.amd`: explicit buffer accesses, the tensor mover, waits, exact instructions"
  USES text target protocol dialect isa sema/value sema/module sema/elaborator sema/number sema/isa sema/tensor
       sema/prelude sema/atom)
fly_folder(compiler/sema/check
  DOES "what only checks have: host arrays, expectations"
  USES host sema/value sema/elaborator sema/number)
fly_folder(compiler/sema/language
  DOES "statements, expressions, calls, definitions: dispatches to all rooms above"
  USES text syntax dialect sema/value sema/module sema/elaborator sema/number sema/memory sema/tensor sema/control
       sema/prelude sema/isa sema/amd sema/check)
fly_folder(compiler/sema/kernel
  DOES "from a kernel or `@launch` function and its constants to Fly IR and launch information; alone calls the analyses"
  USES syntax host dialect analysis artifact assembly sema/value sema/elaborator sema/number sema/memory sema/isa
       sema/tensor sema/control sema/prelude sema/language)
fly_folder(compiler/sema
  DOES "elaboration as a whole: the list of all builtins"
  USES sema/module sema/isa sema/tensor sema/prelude sema/atom sema/amd sema/check sema/kernel)
fly_folder(runtime
  DOES "loads and launches code objects, in C")
fly_folder(runtime/emulator/formats
  DOES "number formats and arithmetic that hardware has and C++ has not")
fly_folder(runtime/emulator/device
  DOES "architectures, guarded memory, parameters and results of a launch"
  USES target emulator/formats)
fly_folder(runtime/emulator/wave
  DOES "a wave, its workgroup and cluster, its decoded program, memory operations in flight"
  USES target isa emulator/formats emulator/device)
fly_folder(runtime/emulator/lanes
  DOES "arithmetic lane by lane, operands and their modifiers"
  USES emulator/formats emulator/wave)
fly_folder(runtime/emulator/ops/vector
  DOES "rows of vector instructions"
  USES emulator/formats emulator/wave emulator/lanes)
fly_folder(runtime/emulator/ops/scalar
  DOES "rows of scalar instructions, branches, barriers"
  USES text emulator/formats emulator/wave emulator/lanes)
fly_folder(runtime/emulator/ops/memory
  DOES "rows of memory instructions: buffers, LDS, flat and global, asynchronous, the tensor mover"
  USES emulator/formats emulator/wave emulator/lanes emulator/ops/scalar)
fly_folder(runtime/emulator/ops/matrix
  DOES "rows of matrix instructions: layouts, plans, kernels"
  USES emulator/formats emulator/wave)
fly_folder(runtime/emulator/decode
  DOES "an instruction of compiler/isa becomes one that executes"
  USES emulator/formats emulator/wave emulator/lanes emulator/ops/vector emulator/ops/scalar emulator/ops/memory
       emulator/ops/matrix)
fly_folder(runtime/emulator/watch
  DOES "races, values that were never written, profiles, fault reports"
  USES target emulator/device emulator/wave emulator/ops/scalar)
fly_folder(runtime/emulator/timing
  DOES "a model of the machine: how long a launch takes"
  USES text isa target emulator/wave emulator/watch)
fly_folder(runtime/emulator/launch
  DOES "code objects are loaded, waves started and scheduled"
  USES target runtime emulator/formats emulator/wave emulator/ops/scalar emulator/decode emulator/watch
       emulator/timing)
fly_folder(runtime/emulator
  DOES "the emulator's C++ API"
  USES target emulator/device emulator/launch)
fly_folder(compiler/timing
  DOES "pictures of the time model: timeline, roofline, where the cycles go, as SVG and HTML"
  USES text emulator/timing)
fly_folder(runtime/hip_emulated
  DOES "the entry points of HIP on the emulator"
  USES target container isa emulator/device emulator/launch emulator/watch emulator/timing runtime/emulator)
fly_folder(compiler/page
  DOES "the page of a report: what it shows as JSON, and how it looks"
  USES artifact picture target report timing)
fly_folder(compiler/object_checks
  DOES "what is checked of linked code against its source: promises, scratch memory, waits, widths, the verifier"
  USES text diagnostics dialect analysis artifact isa report verify sema/elaborator sema/number sema/kernel
       emulator/timing)
fly_folder(compiler/compilation
  DOES "one run of flyc (sources, diagnostics, options) and what compiles in it: a file for an architecture, backend jobs, their cache, what is drawn of a value"
  USES diagnostics syntax picture target container dialect transforms artifact isa codegen codegen/pipeline verify sema/value
       sema/module sema/elaborator sema/language sema/atom sema/kernel sema object_checks)
fly_folder(compiler/editor
  DOES "the language server: open files and their versions, and what an editor asks about them"
  USES text syntax format layout picture dialect target isa report sema/value sema/module sema/elaborator sema/language sema/prelude sema/amd sema/atom
       sema/kernel sema compilation)
fly_folder(compiler/launch
  DOES "kernels on the emulator or on a GPU: of checks and benches, and a single one with arguments from files"
  USES text syntax host target transforms reference artifact isa sema/value sema/kernel emulator/device emulator/launch emulator/watch
       emulator/timing runtime runtime/emulator timing compilation)
fly_folder(compiler/search
  DOES "many jobs of this program, each a process: suites of files, and what tune and sweep share"
  USES text diagnostics target artifact emulator/timing compilation launch)
fly_folder(compiler/search/tune
  DOES "`flyc tune`: candidates of `@tune`, their figures, the table beside the source"
  USES text atom isa sema/number emulator/timing compilation launch search)
fly_folder(compiler/search/sweep
  DOES "`flyc sweep`: points of a grid, their figures, the best ones as a table"
  USES text report sema/elaborator emulator/timing compilation launch search search/tune)
fly_folder(compiler/calibrate
  DOES "microbenchmarks, their times on a GPU or in the model, and the constants that these tell"
  USES target emulator/timing runtime/emulator compilation)
fly_folder(compiler/calibrate/embedded/program
  DOES "the HIP program that `flyc calibrate` writes; flyc embeds it, and does not compile it")
fly_folder(compiler/doctor
  DOES "what `flyc doctor` finds out: the system, HIP, a small run on a GPU"
  USES text target compilation runtime)
fly_folder(compiler/hardware
  DOES "the full check of a GPU: tasks, their journal, the report and what it tells"
  USES text target compilation launch calibrate doctor)
fly_folder(compiler/hardware/forms
  DOES "ways of writing an instruction, each as a kernel with random operands, on the emulator and on a GPU"
  USES text target isa codegen/pipeline runtime/emulator emulator/decode launch hardware)
fly_folder(compiler/commands
  DOES "the command line: one file per command"
  USES text diagnostics syntax format doc atom picture target transforms artifact isa codegen/pipeline report verify
       assembly sema/elaborator sema/isa sema/prelude sema/atom sema emulator/device emulator/timing page
       compilation editor timing launch search search/tune search/sweep calibrate doctor hardware hardware/forms)
fly_folder(tools/fly-opt
  DOES "runs passes from text"
  USES analysis transforms)
fly_folder(tools/emulator-bench
  DOES "measures the emulator"
  USES target runtime/emulator)
fly_folder(tools/emulator-coverage
  DOES "which instructions the emulator executes, and what each was checked against"
  USES target isa emulator/wave emulator/decode)
fly_folder(tools/math-ulp
  DOES "measures the mathematics of stdlib"
  USES host runtime/emulator)
