// See AccumulatorPrograms.h.
#include "AccumulatorPrograms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

namespace fly::codegen::testing {

namespace {

/// "%acc0, %acc1, ..." or "T, T, ...": `{0}` is the number.
std::string list(unsigned count, const char *format, unsigned shift = 0) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + llvm::formatv(false, format, (i + shift) % count).str();
  return text;
}

std::string matrixInstruction(const Shape &shape, const std::string &d, const std::string &a, const std::string &b,
                              const std::string &c) {
  std::string ab = llvm::formatv("vector<{0}x{1}>", shape.elements, shape.type);
  std::string acc = llvm::formatv("vector<{0}xf32>", shape.registers());
  return llvm::formatv("{0} = llvm.call_intrinsic \"llvm.amdgcn.mfma.f32.{1}\"({2}, {3}, {4}, %zero, %zero, %zero) : "
                       "({5}, {5}, {6}, i32, i32, i32) -> {6} loc(#product)\n",
                       d, shape.intrinsic, a, b, c, ab, acc);
}

/// The operations with other names for the values and blocks that they define.
std::string renamed(llvm::StringRef text, const std::string &suffix) {
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  auto isFromOutside = [](llvm::StringRef name) { // an argument, a constant, or the place of a tile
    return llvm::is_contained({"a", "b", "c", "n", "zero", "one", "lane", "zeros"}, name) ||
           (name.starts_with("c") && name.ends_with("p"));
  };
  std::string result;
  while (!text.empty()) {
    const char first = text.front();
    llvm::StringRef name = text.drop_front().take_while(isOfName);
    const bool isName = first == '%' || (first == '^' && !name.empty());
    result += first;
    text = text.drop_front();
    if (isName) {
      result += name.str() + (isFromOutside(name) ? "" : suffix);
      text = text.drop_front(name.size());
    }
  }
  return result;
}

} // namespace

std::string Product::module() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  const unsigned tiles = rows * columns;
  const std::string ab = llvm::formatv("vector<{0}x{1}>", shape.elements, shape.type);
  const std::string acc = llvm::formatv("vector<{0}xf32>", shape.registers());
  out << "#product = loc(\"kernels/product.fly\":12:5)\nmodule {\n"
         "llvm.func @other() attributes {passthrough = [\"noinline\"]} {\n"
         "  llvm.inline_asm has_side_effects \"s_nop 0\", \"\" : () -> ()\n  llvm.return\n}\n";
  out << llvm::formatv("llvm.func @product(%a: !llvm.ptr<1> {{llvm.noalias}, %b: !llvm.ptr<1> {{llvm.noalias}, "
                       "%c: !llvm.ptr<1> {{llvm.noalias}, %n: i32) attributes {{rocdl.kernel, "
                       "rocdl.flat_work_group_size = \"64,{1}\", passthrough = "
                       "[[\"fly-accumulator-registers\", \"{0}\"]]} {{\n",
                       counted ? counted : accumulators(), threads);
  out << "%zero = llvm.mlir.constant(0 : i32) : i32\n%one = llvm.mlir.constant(1 : i32) : i32\n"
         "%lane = rocdl.workitem.id.x : i32\n%zeros = llvm.mlir.constant(dense<0.0> : "
      << acc << ") : " << acc << "\n";
  auto fragment = [&](const std::string &value, const char *from, const std::string &index, unsigned offset,
                      const std::string &type) {
    out << llvm::formatv("{0}o = llvm.mlir.constant({1} : i32) : i32\n{0}f = llvm.add {2}, {0}o : i32\n"
                         "{0}p = llvm.getelementptr {3}[{0}f] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {4}\n",
                         value, offset, index, from, type);
    return value + "p";
  };
  for (unsigned t = 0; t < tiles; ++t)
    fragment(llvm::formatv("%c{0}", t), "%c", "%lane", t * 64, acc);
  const size_t before = out.str().size();
  if (startsFromMemory)
    for (unsigned t = 0; t < tiles; ++t)
      out << llvm::formatv("%first{0} = llvm.load %c{0}p : !llvm.ptr<1> -> {1}\n", t, acc);
  out << "llvm.br ^loop(%zero, " << list(tiles, startsFromMemory ? "%first{0}" : "%zeros") << " : i32, "
      << list(tiles, acc.c_str()) << ")\n^loop(%i: i32, " << list(tiles, ("%acc{0}: " + acc).c_str()) << "):\n"
      << beforeStep;
  for (auto [side, count] : {std::pair("a", rows), std::pair("b", columns)}) {
    out << llvm::formatv("%step{0} = llvm.mlir.constant({1} : i32) : i32\n%at{0} = llvm.mul %i, %step{0} : i32\n"
                         "%from{0} = llvm.add %at{0}, %lane : i32\n",
                         side, count * 64);
    for (unsigned i = 0; i < count; ++i) {
      std::string value = llvm::formatv("%{0}{1}_", side, i);
      std::string place = fragment(value, side[0] == 'a' ? "%a" : "%b", std::string("%from") + side, i * 64, ab);
      out << llvm::formatv("{0} = llvm.load {1} : !llvm.ptr<1> -> {2}\n", value, place, ab);
    }
  }
  for (unsigned t = 0; t < tiles; ++t) {
    if (rescales)
      out << llvm::formatv("%scaled{0} = llvm.fadd %acc{0}, %acc{0} : {1}\n", t, acc);
    out << matrixInstruction(shape, llvm::formatv("%sum{0}", t), llvm::formatv("%a{0}_", t / columns),
                             llvm::formatv("%b{0}_", t % columns),
                             llvm::formatv(rescales ? "%scaled{0}" : "%acc{0}", t));
  }
  out << "%next = llvm.add %i, %one : i32\n%more = llvm.icmp \"slt\" %next, %n : i32\n"
      << "llvm.cond_br %more, ^loop(%next, " << list(tiles, "%sum{0}", rotates) << " : i32, "
      << list(tiles, acc.c_str()) << "), ^end\n^end:\n";
  if (continues) {
    out << matrixInstruction(shape, "%last", "%a0_", "%b0_", "%sum0");
    std::string place = fragment("%last_", "%c", "%lane", tiles * 64, acc);
    out << llvm::formatv("llvm.store %last, {0} : {1}, !llvm.ptr<1>\n", place, acc);
  }
  for (unsigned t = 0; roundsAtOnce && t < tiles; ++t)
    for (unsigned r = 0; r < shape.registers(); ++r)
      out << llvm::formatv("%index{0}_{1} = llvm.mlir.constant({1} : i32) : i32\n"
                           "%exact{0}_{1} = llvm.extractelement %sum{0}[%index{0}_{1} : i32] : {2}\n"
                           "%short{0}_{1} = llvm.fptrunc %exact{0}_{1} : f32 to f16\n"
                           "%held{0}_{1} = llvm.inline_asm has_side_effects \"\", \"=v,0\" %short{0}_{1} : "
                           "(f16) -> f16\n",
                           t, r, acc);
  for (unsigned t = 0; t < tiles; ++t) {
    std::string value = llvm::formatv("%sum{0}", t);
    for (unsigned r = 0; roundsAtOnce && r < shape.registers(); ++r) {
      std::string whole = std::exchange(value, llvm::formatv("%rounded{0}_{1}", t, r));
      out << llvm::formatv("%long{0}_{1} = llvm.fpext %held{0}_{1} : f16 to f32\n"
                           "{2} = llvm.insertelement %long{0}_{1}, {3}[%index{0}_{1} : i32] : {4}\n",
                           t, r, value, whole, acc);
    }
    if (doubles)
      out << llvm::formatv("%twice{0} = llvm.fadd %sum{0}, %sum{0} : {1}\n", t, acc),
          value = llvm::formatv("%twice{0}", t);
    out << llvm::formatv("llvm.store {0}, %c{1}p : {2}, !llvm.ptr<1>\n", value, t, acc);
  }
  const std::string phase = out.str().substr(before);
  for (unsigned i = 1; i < phases; ++i)
    out << renamed(phase, "_" + std::to_string(i));
  out << "llvm.return\n}\n}\n";
  return text;
}

std::string largeTile() {
  const Shape shape = shapes[2];
  std::string text;
  llvm::raw_string_ostream out(text);
  out << R"(#product = loc("kernels/tile.fly":12:5)
#domain = #llvm.alias_scope_domain<id = distinct[0]<>>
#copies = #llvm.alias_scope<id = distinct[1]<>, domain = #domain>
module {
llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<131072 x i8>
llvm.func @tile(%a: !llvm.ptr<1> {llvm.inreg, llvm.noalias}, %b: !llvm.ptr<1> {llvm.inreg, llvm.noalias},
    %c: !llvm.ptr<1> {llvm.noalias}, %n: i32) attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256",
    passthrough = [["fly-accumulator-registers", "256"]]} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %size = llvm.mlir.constant(16 : i32) : i32
  %lane = rocdl.workitem.id.x : i32
  %stride = llvm.mlir.constant(0 : i16) : i16
  %bytes = llvm.mlir.constant(2147483647 : i64) : i64
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %ra = rocdl.make.buffer.rsrc %a, %stride, %bytes, %flags : !llvm.ptr<1> to <8>
  %rb = rocdl.make.buffer.rsrc %b, %stride, %bytes, %flags : !llvm.ptr<1> to <8>
  %four = llvm.mlir.constant(4 : i32) : i32
  %mask = llvm.mlir.constant(1023 : i32) : i32
  %far = llvm.shl %lane, %four : i32
  %near = llvm.and %far, %mask : i32
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %base = llvm.getelementptr %lds[%near] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %zeros = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  %trip = llvm.mlir.constant(256 : i32) : i32
)";
  out << "llvm.br ^loop(%zero, %zero, " << list(64, "%zeros") << " : i32, i32, " << list(64, "vector<4xf32>")
      << ")\n^loop(%i: i32, %at: i32, " << list(64, "%acc{0}_0: vector<4xf32>") << "):\n";
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned buffer = half * 65536;
    out << llvm::formatv("%w{0} = llvm.mlir.constant({1} : i32) : i32\n"
                         "llvm.call_intrinsic \"llvm.amdgcn.s.waitcnt\"(%w{0}) : (i32) -> ()\n"
                         "llvm.call_intrinsic \"llvm.amdgcn.s.barrier\"() : () -> ()\n",
                         half, 0x0f70 | 8);
    unsigned copies = 0;
    for (unsigned step = half * 2; step < half * 2 + 2; ++step) {
      for (unsigned m = 0; m < 8; ++m)
        for (auto [side, offset] : {std::pair('a', 0u), std::pair('b', 32768u)})
          out << llvm::formatv("%p{0}{1}_{2} = llvm.getelementptr %base[{3}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
                               "%{0}{1}_{2} = llvm.load %p{0}{1}_{2} {{alignment = 16 : i64, noalias_scopes = "
                               "[#copies]} : !llvm.ptr<3> -> vector<8xbf16>\n",
                               side, step, m, buffer + offset + (step % 2 * 8 + m) * 1024);
      for (unsigned t = 0; t < 64; ++t) {
        out << matrixInstruction(shape, llvm::formatv("%acc{0}_{1}", t, step + 1),
                                 llvm::formatv("%a{0}_{1}", step, t / 8), llvm::formatv("%b{0}_{1}", step, t % 8),
                                 llvm::formatv("%acc{0}_{1}", t, step));
        if (t % 8 != 3)
          continue;
        const unsigned j = copies++;
        out << llvm::formatv(
            "%k{0}_{1} = llvm.mlir.constant({2} : i32) : i32\n%s{0}_{1} = llvm.add %at, %k{0}_{1} : i32\n"
            "%t{0}_{1} = llvm.getelementptr %lds[{3}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
            "rocdl.raw.ptr.buffer.load.lds %{4}, %t{0}_{1}, %size, %far, %s{0}_{1}, %zero, %zero {{alias_scopes = "
            "[#copies]}\n",
            half, j, j % 8 * 4096 + half * 128, buffer + j * 4096, j < 8 ? "ra" : "rb");
      }
    }
    out << "llvm.call_intrinsic \"llvm.amdgcn.s.barrier\"() : () -> ()\n";
  }
  out << "%next = llvm.add %i, %one : i32\n%then = llvm.add %at, %trip : i32\n%more = llvm.icmp \"slt\" %next, %n : "
         "i32\n"
      << "llvm.cond_br %more, ^loop(%next, %then, " << list(64, "%acc{0}_4") << " : i32, i32, "
      << list(64, "vector<4xf32>") << "), ^end\n^end:\n";
  for (unsigned t = 0; t < 64; ++t)
    out << llvm::formatv("%ko{0} = llvm.mlir.constant({1} : i32) : i32\n%o{0} = llvm.add %lane, %ko{0} : i32\n"
                         "%pc{0} = llvm.getelementptr %c[%o{0}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>\n"
                         "llvm.store %acc{0}_4, %pc{0} : vector<4xf32>, !llvm.ptr<1>\n",
                         t, t * 256);
  out << "llvm.return\n}\n}\n";
  return text;
}

} // namespace fly::codegen::testing
