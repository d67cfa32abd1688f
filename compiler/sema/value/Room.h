// Room `value`: values at all binding times, and what can be said of them without elaborating anything; emits nothing.
//
// May include: compiler/diagnostics, compiler/syntax, compiler/host, compiler/layout, compiler/dialect.
#pragma once
