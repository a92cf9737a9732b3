//===- Compile.h - Executables from networks ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
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
#include "compiler/session/Settings.h"
#include "runtime/Executable.h"

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
  /// Null after errors.
  static std::shared_ptr<const Executable> make(std::string_view bytes,
                                                const std::string &name,
                                                DiagnosticEngine &diags);

  std::string_view bytes() const { return model->content(); }
  const std::shared_ptr<const runtime::Executable> &program() const {
    return model;
  }
  /// Of the compilation; none of one that was not compiled here.
  const std::optional<CompileResult> &summary() const { return numbers; }

private:
  friend std::shared_ptr<const Executable>
  compile(const Network &, const CompileSettings &, const Call &);
  Executable() = default;

  std::shared_ptr<const runtime::Executable> model;
  std::optional<CompileResult> numbers;
};

/// The file that `yarrow compile` writes, byte for byte, in memory. Null after
/// errors.
std::shared_ptr<const Executable> compile(const Network &network,
                                          const CompileSettings &settings,
                                          const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_COMPILE_H
