#include "compiler/isa/OpcodeList.h"
#include "runtime/emulator/Program.h"
#include <cstdio>
using namespace fly;
int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    auto list = isa::listOpcodes(argv[i]);
    if (!list) { puts(llvm::toString(list.takeError()).c_str()); return 1; }
    for (auto &e : list->entries) {
      std::string forms;
      for (auto f : e.forms) forms += " " + std::string(name(f));
      printf("%s %s%s%s%s\n", std::string(name(e.op)).c_str(), std::string(name(e.cls)).c_str(), forms.c_str(), e.assembles ? "" : " DECODES", emulator::findRow(e.op) ? "" : " MISSING");
    }
    for (auto &u : list->unbuilt) printf("UNBUILT %s\n", u.c_str());
  }
}
