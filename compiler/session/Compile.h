//===- Compile.h - Executables from networks ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// In memory, or as files; and the way there, phase by phase.
//
//   auto executable = session::compile(*network, {.target = "X2_1204"}, call);
//   if (executable)
//     send(executable->bytes());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_COMPILE_H
#define YARROW_COMPILER_SESSION_COMPILE_H

#include "compiler/pipeline/Compile.h"
#include "compiler/session/Network.h"
#include "compiler/session/PhaseModule.h"
#include "compiler/session/Settings.h"
#include "runtime/Executable.h"
#include "runtime/Report.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yarrow::session {

/// The bytes of a file, checked. The program holds them.
class Executable {
public:
  /// A file, whose constants may lie beside it. Null after errors.
  static std::shared_ptr<const Executable> open(const std::string &path,
                                                DiagnosticEngine &diags);
  /// \p numbers are those of its compilation. Null after errors.
  static std::shared_ptr<const Executable>
  make(std::string_view bytes, const std::string &name, DiagnosticEngine &diags,
       const std::optional<CompileResult> &numbers = {});

  std::string_view bytes() const { return model->content(); }
  const std::shared_ptr<const runtime::Executable> &program() const {
    return model;
  }
  /// Of the compilation; none of one that was not compiled here.
  const std::optional<CompileResult> &summary() const { return numbers; }

private:
  Executable() = default;

  std::shared_ptr<const runtime::Executable> model;
  std::optional<CompileResult> numbers;
};

/// The file that `yarrow compile` writes, byte for byte, in memory. Null after
/// errors.
std::shared_ptr<const Executable> compile(const Network &network,
                                          const CompileSettings &settings,
                                          const Call &call);
/// The same of a network that is handed over.
std::shared_ptr<const Executable>
compile(std::shared_ptr<const Network> network, const CompileSettings &settings,
        const Call &call);

/// Where a compilation writes; nothing without a name.
struct CompileFiles {
  std::string executable = {};
  std::string weights = {}; ///< See codegen/Emit.h.
  std::string npuDump = {}; ///< The scheduled module, as text.
};

/// What came of a compilation to files.
struct Compiled {
  std::optional<FormDecision> forms;    ///< Also where what follows has failed.
  std::optional<CompileResult> numbers; ///< None after errors.
};

/// Without any file it is checked that the network can be compiled.
Compiled compileToFiles(std::shared_ptr<const Network> network,
                        const CompileSettings &settings,
                        const CompileFiles &files, const Call &call);

/// The way to the end of the phase \p last (Phases.def), of one shape.
PhaseModule compileUntil(std::shared_ptr<const Network> network,
                         const CompileSettings &settings,
                         const std::string &last, const Call &call);

/// What a run takes on the machine, with zeros for inputs; no warnings. Nullopt
/// after errors.
std::optional<runtime::Report> countCycles(const Network &network,
                                           const CompileSettings &settings,
                                           const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_COMPILE_H
