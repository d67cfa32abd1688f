// Statements and calls. A call is one of four things: an address, which the caller has worked out; a lambda of the
// text; a builtin function; or another instruction, whose text runs with operands of its own.
#include "tests/emulator/pseudocode/Interpreter.h"

namespace fly::pseudocode {

void Interpreter::provide(const std::string &name, const Value &v, bool operand) {
  Cell *c = cell(name);
  if (!c) return;
  c->value = v;
  c->declared = v.type;
  c->set = c->fixed = c->external = true;
  c->operand = operand;
  c->typedBits = 0;
  c->array = false;
}

void Interpreter::reset() { cells.assign(text.symbols.size(), Cell()); }

void Interpreter::run() {
  mode.override = -1;
  execute(*text.body);
}

//===--------------------------------------------------------------------------------------------------------===//
// Statements
//===--------------------------------------------------------------------------------------------------------===//

Interpreter::Flow Interpreter::execute(const Node &n) {
  switch (n.op) {
  case Op::Block:
    for (const auto &s : n.children)
      if (Flow f = execute(*s); f != Flow::Normal) return f;
    return Flow::Normal;
  case Op::Assign: {
    const Node &right = *n.children[1];
    if (right.op == Op::Call && nameOf(right) == "ConvertToFormat") {
      uint64_t address;
      unsigned channel;
      if (!component(*n.children[0], address, channel))
        throw Unsupported("a typed store to something else than a component");
      host.convertToFormat(address, channel, evaluate(*right.children[0]));
      return Flow::Normal;
    }
    Value v = evaluate(*n.children[1]);
    if (n.operation != Op::Assign) v = binary(n.operation, evaluate(*n.children[0]), v);
    assign(*n.children[0], v);
    return Flow::Normal;
  }
  case Op::If:
    if (evaluate(*n.children[0]).truth()) return execute(*n.children[1]);
    return n.children.size() > 2 ? execute(*n.children[2]) : Flow::Normal;
  case Op::For: {
    Value first = evaluate(*n.children[0]);
    SignedWide last = evaluate(*n.children[1]).integer();
    Cell &c = cells[static_cast<size_t>(n.symbol)];
    for (SignedWide i = first.integer(); i <= last; ++i) {
      c.value = Value(c.fixed ? c.declared : first.type, static_cast<Wide>(i));
      c.set = true;
      Flow f = execute(*n.children[2]);
      if (f == Flow::Break) break;
      if (f == Flow::Return) return f;
    }
    return Flow::Normal;
  }
  case Op::While:
    for (unsigned k = 0; evaluate(*n.children[0]).truth(); ++k) {
      if (k > 100000) throw Unsupported("an endless loop");
      Flow f = execute(*n.children[1]);
      if (f == Flow::Break) break;
      if (f == Flow::Return) return f;
    }
    return Flow::Normal;
  case Op::Break: return Flow::Break;
  case Op::Return: returned = evaluate(*n.children[0]); return Flow::Return;
  case Op::Declare: {
    Cell &c = cells[static_cast<size_t>(n.symbol)];
    if (c.external && (!n.elements || c.array)) return Flow::Normal; // the text only repeats what the encoding gives
    c.declared = n.type;
    c.fixed = true;
    c.set = true;
    c.array = n.elements > 0;
    c.elements.assign(n.elements, Value(n.type, 0));
    c.value = Value(n.type, 0);
    return Flow::Normal;
  }
  case Op::Lambda: cells[static_cast<size_t>(n.symbol)].lambda = &n; return Flow::Normal;
  case Op::Evaluate: evaluate(*n.children[0]); return Flow::Normal;
  default: throw Unsupported("not a statement");
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Calls
//===--------------------------------------------------------------------------------------------------------===//

/// MEM[address + ChannelOffsetX()]
bool Interpreter::component(const Node &memory, uint64_t &address, unsigned &channel) {
  if (memory.op != Op::Index || !isNamed(*memory.children[0], "MEM") || memory.children[1]->op != Op::Add) return false;
  const Node &offset = *memory.children[1]->children[1];
  if (offset.op != Op::Call || nameOf(offset).rfind("ChannelOffset", 0) != 0) return false;
  size_t k = std::string("XYZW").find(nameOf(offset).back());
  if (k == std::string::npos) return false;
  address = static_cast<uint64_t>(evaluate(*memory.children[1]->children[0]).v);
  channel = static_cast<unsigned>(k);
  return true;
}

Value Interpreter::call(const Node &n) {
  const std::string &name = nameOf(n);
  if (name == "ConvertFromFormat") {
    uint64_t address;
    unsigned channel;
    if (!component(*n.children[0], address, channel))
      throw Unsupported("a typed load of something else than a component");
    return host.convertFromFormat(address, channel);
  }
  if (name.compare(0, 4, "Calc") == 0) { // the address of this lane's access, which the caller computes
    bool constantOffset = n.children.size() > 1 && n.children.back()->op == Op::Constant;
    Cell &address = cells[static_cast<size_t>(n.symbol)];
    if (address.elements.size() < 2) throw Unsupported("no address");
    return address.elements[constantOffset ? 1 : 0];
  }
  if (name == "LDS") return load(place(n));
  if ((name == "sin" || name == "cos") && n.children.size() == 1 && n.children[0]->op == Op::Multiply) {
    // sin(S0 * 2 * PI): the hardware takes turns, the product is never rounded.
    Value turns = evaluate(*n.children[0]->children[0]);
    turns.more.assign(1, 0);
    return callBuiltin(name, {turns}, mode);
  }
  std::vector<Value> arguments;
  for (const auto &c : n.children) arguments.push_back(evaluate(*c));
  if (const Node *lambda = cells[static_cast<size_t>(n.symbol)].lambda) {
    if (arguments.size() != lambda->parameters.size()) throw Unsupported("a lambda called with other parameters");
    if (++depth > 20) throw Unsupported("recursion");
    std::vector<Cell> saved;
    for (size_t k = 0; k < arguments.size(); ++k) {
      Cell &c = cells[static_cast<size_t>(lambda->parameters[k])];
      saved.push_back(c);
      c = Cell();
      c.value = arguments[k];
      c.set = true;
    }
    if (execute(*lambda->children[0]) != Flow::Return) throw Unsupported("a lambda without result");
    for (size_t k = 0; k < arguments.size(); ++k) cells[static_cast<size_t>(lambda->parameters[k])] = saved[k];
    --depth;
    return returned;
  }
  if (isBuiltin(name)) return callBuiltin(name, arguments, mode);
  if (const Text *other = host.instruction(name)) return callText(*other, name, arguments);
  throw Unsupported("the function `" + name + "` is not defined");
}

Value Interpreter::callText(const Text &other, const std::string &name, const std::vector<Value> &arguments) {
  Interpreter inner(other, host);
  inner.mode = mode;
  inner.mode.keepOut32 = inner.mode.keepOut16_64 = true; // one instruction, whose result alone is flushed
  inner.exactIntegers = false;
  static const char *const operands[] = {"S0", "S1", "S2"};
  for (size_t k = 0; k < arguments.size() && k < 3; ++k) inner.provide(operands[k], arguments[k]);
  inner.provide("D0", Value({Type::Bits, 32}, 0));
  inner.provide("TRAPSTS.INVALID", makeUnsigned(0, 1));
  for (const char *shared : {"WAVE_MODE.IEEE"})
    if (Cell *mine = cell(shared); mine && mine->set) inner.provide(shared, mine->value);
    else inner.provide(shared, makeUnsigned(ieee, 1));
  inner.ieee = ieee;
  inner.execute(*other.body);
  Cell *d = inner.cell("D0");
  if (!d) throw Unsupported("`" + name + "` has no D0");
  Type t = d->elements.empty() ? d->value.type : d->elements[0].type;
  return retype(d->value, t);
}

} // namespace fly::pseudocode
