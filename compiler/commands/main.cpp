// The flyc program. Its commands are listed in Commands.cpp, a file each; CommandLine.cpp finds the one to run.
#include "compiler/commands/CommandLine.h"

int main(int argc, char **argv) { return fly::driver::runCommandLine({argv + 1, argv + argc}); }
