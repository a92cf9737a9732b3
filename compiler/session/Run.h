//===- Run.h - Runs of executables --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Samples through an executable on a simulated machine: what comes out, and
// where the cycles go.
//
//   auto outputs = session::run(*executable, data, {}, call);
//   auto measured = session::measure(*executable, {}, {}, call);
//   measured->report.cycles;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_RUN_H
#define YARROW_COMPILER_SESSION_RUN_H

#include "compiler/session/Call.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Data.h"
#include "compiler/session/Runner.h"
#include "runtime/Report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yarrow::session {

/// An output of all runs, along its first axis.
struct Output {
  std::string name;
  NpyType type = NpyType::Float32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
};

struct Measured {
  runtime::Report report; ///< Of the first sample.
  std::vector<Output> outputs;
};

/// All samples of \p data, on as many devices as there are cores of the host.
/// Nullopt after errors.
std::optional<std::vector<Output>> run(const Executable &executable,
                                       const Data &data,
                                       const RunSettings &settings,
                                       const Call &call);
/// The first sample, with cycles counted; zeros without data. Nullopt after
/// errors.
std::optional<Measured> measure(const Executable &executable, const Data &data,
                                const RunSettings &settings, const Call &call);

/// The program for the shapes of the arrays. Where none fits, the largest one,
/// which says what is wrong.
std::shared_ptr<const runtime::Executable>
variantFor(const std::shared_ptr<const runtime::Executable> &program,
           const std::vector<NpyView> &arrays);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_RUN_H
