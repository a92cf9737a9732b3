//===- MlirDiagnostics.h - MLIR's diagnostics as coded ones ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// While one of these lives, what verifiers and passes emit on the context
// becomes coded diagnostics with file, line and layer of the op's location.
//
//   DiagnosticForwarder forward(&context, diags, diag::OpInvalid);
//   if (failed(mlir::verify(module))) ... // diags holds the reasons
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MLIRDIAGNOSTICS_H
#define YARROW_DIALECTS_COMPASS_MLIRDIAGNOSTICS_H

#include "dialects/compass/Locations.h"
#include "mlir/IR/Diagnostics.h"
#include "support/Diagnostics.h"
#include "support/diagnostics/Operators.h"

namespace yarrow::compass {

/// Emits a coded diagnostic on the context, where a DiagnosticForwarder finds
/// it again as it was; who sees MLIR's diagnostics alone reads all of its text.
void emitDiagnostic(mlir::MLIRContext *context,
                    const yarrow::Diagnostic &diagnostic);

class DiagnosticForwarder {
public:
  /// What LayerError and emitDiagnostic made keeps its code, other errors get
  /// \p id; notes are appended to the error before them; warnings and remarks
  /// without a code are dropped.
  DiagnosticForwarder(mlir::MLIRContext *context, DiagnosticEngine &diags,
                      DiagId id);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_MLIRDIAGNOSTICS_H
