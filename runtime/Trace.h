//===- Trace.h - A run on a time line ---------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Trace events in the JSON form that Perfetto and Chrome's about:tracing open:
// a track per engine channel and per TEC, a slice per command or step, named
// after its layer.
//
//   writeFile("trace.json", traceJson(*model, machine, recorder.run()), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TRACE_H
#define YARROW_RUNTIME_TRACE_H

#include "runtime/Executable.h"
#include "runtime/Recorder.h"

namespace yarrow::runtime {

/// One microsecond of the trace is one cycle, whatever the clock: viewers
/// round to nanoseconds and would blur cycles otherwise.
std::string traceJson(const Executable &executable, const isa::Machine &machine,
                      const RecordedRun &run);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TRACE_H
