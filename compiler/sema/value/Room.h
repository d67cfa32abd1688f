// Room `value`: values at all binding times, and operations on them that need no elaboration; emits nothing.
//
// May include: compiler/text, compiler/diagnostics, compiler/syntax, compiler/host, compiler/layout, compiler/dialect.
#pragma once
