// Evaluates a parsed pseudocode text on a machine state.
//
// Names are cells. The caller fills in the ones that mean something (S0, D0, laneId, EXEC, ...), runs, and reads back;
// names it does not provide are variables of the text. Memory and registers by number go through `Host`.
#pragma once

#include "tests/emulator/pseudocode/Float.h"
#include "tests/emulator/pseudocode/Syntax.h"

#include <functional>
#include <map>

namespace fly::pseudocode {

class Host {
public:
  virtual ~Host() = default;
  virtual Value readMemory(uint64_t address, unsigned bytes) = 0;
  virtual void writeMemory(uint64_t address, unsigned bytes, const Value &v) = 0;
  /// A component (0..3) of the typed buffer element at `address`, and its place.
  virtual Value convertFromFormat(uint64_t address, unsigned channel) = 0;
  virtual void convertToFormat(uint64_t address, unsigned channel, const Value &v) = 0;
  /// 32 bits, with what is undetermined of them.
  virtual Value readVgpr(unsigned lane, unsigned index) = 0;
  virtual void writeVgpr(unsigned lane, unsigned index, const Value &v) = 0;
  virtual uint32_t readSgpr(unsigned index) = 0;
  virtual void writeSgpr(unsigned index, uint32_t v) = 0;
  /// The text of another instruction, for `v_max_f32(a, b)`; null if there is none.
  virtual const Text *instruction(const std::string &name) = 0;
};

struct Cell {
  Value value;
  std::vector<Value> elements; ///< of an array
  Type declared;               ///< of a declared name or a register, whose width assignments keep
  bool set = false, fixed = false, array = false;
  bool external = false;  ///< filled in by the caller
  bool operand = false;   ///< a float read here flushes denormals as MODE says
  unsigned typedBits = 0; ///< of `D0.f16 = x`: the view's width (the last one)
  const Node *lambda = nullptr;
};

class Interpreter {
public:
  Interpreter(const Text &text, Host &host) : text(text), host(host), cells(text.symbols.size()) {}

  /// The cell of a name, null if the text does not mention it.
  Cell *cell(const std::string &name) {
    int s = text.find(name);
    return s < 0 ? nullptr : &cells[static_cast<size_t>(s)];
  }
  /// Makes a name a register of `bits` bits that holds `v`.
  void provide(const std::string &name, const Value &v, bool operand = false);
  void reset(); ///< forgets all cells
  const std::vector<Cell> &state() const { return cells; }
  void restore(const std::vector<Cell> &saved) { cells = saved; }
  void run();

  FloatMode mode;
  bool ieee = true;           ///< MODE.IEEE, for the instructions that a text calls
  bool exactIntegers = false; ///< results saturate instead of wrapping: what the clamp bit means for integers

private:
  struct Place { ///< where an assignment goes
    enum Kind { CellPlace, Memory, Vgpr, Sgpr } kind = CellPlace;
    int symbol = -1, element = -1;
    uint64_t address = 0;
    unsigned lane = 0, index = 0;
    unsigned lo = 0, width = 0; ///< width 0: all
    bool reverse = false, typed = false, sliced = false;
    Type type;
  };
  enum class Flow { Normal, Break, Return };

  Flow execute(const Node &n);
  Value evaluate(const Node &n);
  Value binary(Op op, const Value &a, const Value &b);
  Value call(const Node &n);
  bool component(const Node &memory, uint64_t &address, unsigned &channel);
  Value callText(const Text &other, const std::string &name, const std::vector<Value> &arguments);
  Place place(const Node &n);
  Value load(const Place &p);
  void assign(const Node &target, const Value &v);
  void store(const Place &p, const Value &v);
  Value named(const Node &n);
  Value constantNamed(const std::string &name);
  const std::string &nameOf(const Node &n) const { return text.symbols[static_cast<size_t>(n.symbol)]; }
  bool isNamed(const Node &n, const char *name) const { return n.op == Op::Name && nameOf(n) == name; }
  Value flush(const Node &source, Value v);
  Value view(const Value &v, Type type);
  Value cast(const Value &v, Type type);

  const Text &text;
  Host &host;
  std::vector<Cell> cells;
  Value returned;
  unsigned depth = 0;

  friend struct Builtins;
};

/// Builtin functions by name; Builtins.cpp.
bool isBuiltin(const std::string &name);
Value callBuiltin(const std::string &name, const std::vector<Value> &arguments, const FloatMode &mode);

} // namespace fly::pseudocode
