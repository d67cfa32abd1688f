// Room `module`: finds, parses and keeps the files of modules.
//
// May include: compiler/diagnostics, compiler/syntax, compiler/sema/value.
#pragma once
