// A module as the elaborator describes vec_add.fly, for tests of what is written from it.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fly::artifact::testing {

inline ParameterInfo tensor(const char *name, const char *type, uint32_t elementBytes, uint32_t offset,
                            Direction direction, std::vector<host::ExprRef> shape) {
  ParameterInfo parameter;
  parameter.name = name;
  parameter.kind = ParameterKind::Tensor;
  parameter.type = type;
  parameter.elementBytes = elementBytes;
  parameter.offset = offset;
  parameter.direction = direction;
  parameter.shape = std::move(shape);
  parameter.strides = {host::intConstant(1)};
  return parameter;
}

inline ParameterInfo scalar(const char *name, const char *type, uint32_t offset, uint32_t size) {
  ParameterInfo parameter;
  parameter.name = name;
  parameter.type = type;
  parameter.elementBytes = parameter.size = size;
  parameter.offset = offset;
  return parameter;
}

/// add(a, b, c, n) with `requires=n % 4 == 0`; blocks of 256 threads.
inline InstanceInfo addInstance(const char *symbol, const char *type = "f32", uint32_t elementBytes = 4) {
  host::ExprRef n = host::parameter(3, "n", host::ExprKind::Int);
  auto make = [](host::ExprOp op, host::ExprRef a, int64_t b) { return host::make(op, {a, host::intConstant(b)}); };
  InstanceInfo instance;
  instance.symbol = symbol;
  instance.kernel = "add_vector";
  instance.constants = {{"T", type}, {"VEC", "4"}};
  instance.parameters = {tensor("a", type, elementBytes, 0, Direction::In, {n}),
                         tensor("b", type, elementBytes, 8, Direction::In, {n}),
                         tensor("c", type, elementBytes, 16, Direction::Out, {n}), scalar("n", "i32", 24, 4)};
  instance.grid = {make(host::ExprOp::CeilDiv, n, 256), nullptr, nullptr};
  instance.block = {host::intConstant(256), nullptr, nullptr};
  instance.requirements = {
      {make(host::ExprOp::Eq, make(host::ExprOp::Mod, n, 4), 0), "n % 4 == 0", "kernels/vec_add.fly", 12, false},
      {make(host::ExprOp::Lt, make(host::ExprOp::Mul, n, 4), int64_t(1) << 31), "`n * 4 < 2147483648`", "", 0, true}};
  instance.resources.maxWorkgroupSize = 256;
  return instance;
}

/// scratch = a + b, in zeros first; c = scratch + b if n > 8.
inline LaunchInfo addTwice() {
  host::ExprRef n = host::parameter(3, "n", host::ExprKind::Int);
  InstanceInfo kernel = addInstance("add_f32");
  LaunchInfo launch;
  launch.symbol = launch.function = "add_twice";
  launch.parameters = kernel.parameters;
  launch.workspace = {{"scratch", "f32", host::make(host::ExprOp::Mul, {n, host::intConstant(4)})}};
  StepInfo zero, first;
  zero.name = "scratch";
  zero.fill = {{ArgumentInfo::Workspace, nullptr, 0}, launch.workspace[0].bytes};
  first.kernel = "add_f32";
  first.name = "add_vector";
  first.requirements = kernel.requirements;
  first.grid = kernel.grid;
  first.block = kernel.block;
  auto pass = [](ArgumentInfo::Kind kind, unsigned index) { return ArgumentInfo{kind, nullptr, index}; };
  first.arguments = {pass(ArgumentInfo::Parameter, 0), pass(ArgumentInfo::Parameter, 1),
                     pass(ArgumentInfo::Workspace, 0), pass(ArgumentInfo::Parameter, 3)};
  StepInfo second = first;
  second.when = host::make(host::ExprOp::Gt, {n, host::intConstant(8)});
  second.arguments = {
      pass(ArgumentInfo::Workspace, 0),
      pass(ArgumentInfo::Parameter, 1),
      pass(ArgumentInfo::Parameter, 2),
      {ArgumentInfo::Value, host::make(host::ExprOp::Add, {n, host::deviceNumber("compute_units")}), 0}};
  launch.steps = {zero, first, second};
  return launch;
}

inline ModuleInfo sampleModule() {
  ModuleInfo module;
  module.name = "vec_add";
  module.source = "kernels/vec_add.fly";
  module.docstring = "c = a + b, \"quoted\"; */ // ?\?/ é";
  for (const char *arch : {"gfx942", "gfx1201"}) {
    ArchInfo info;
    info.arch = arch;
    info.hsaco = std::string("\177ELF\2\1 not a real one\0\xff", 24) + arch;
    info.instances = {addInstance("add_f32"), addInstance("add_f16", "f16", 2)};
    info.instances[0].aliases = {"add"};
    info.launches = {addTwice()};
    module.archs.push_back(std::move(info));
  }
  module.archs[1].instances[0].block[0] = host::intConstant(128); // wave32 may have other blocks
  return module;
}

/// A directory of its own, gone with the test.
struct TemporaryDirectory {
  std::filesystem::path path;
  TemporaryDirectory() {
    std::string model = (std::filesystem::temp_directory_path() / "flyc-test-XXXXXX").string();
    path = mkdtemp(model.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  std::string file(const std::string &name) const { return (path / name).string(); }
  /// The same, as a word of a shell command.
  std::string word(const std::string &name) const;
};

/// A path as one word of a shell command: clones lie in folders of any name.
inline std::string word(const std::string &path) {
  std::string quoted = "'";
  for (char c : path)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}
inline std::string TemporaryDirectory::word(const std::string &name) const { return testing::word(file(name)); }

inline void writeText(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}
inline std::string readText(const std::string &path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

/// Runs a shell command; its exit status, and what it printed.
struct CommandResult {
  int status;
  std::string output;
};
inline CommandResult run(const std::string &command) {
  std::string output;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  for (int c; (c = fgetc(pipe)) != EOF;)
    output += char(c);
  int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

} // namespace fly::artifact::testing
