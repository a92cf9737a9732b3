//===- LayerError.h - Problems of a layer, with code, key and values ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What verifiers and shape inference say about a layer. An error goes through
// MLIR's diagnostics, so that it is seen wherever the op came from, and carries
// what a coded diagnostic needs: DiagnosticForwarder (MlirDiagnostics.h) turns
// it into one, at the line of the key when the op was read from IR text.
//
//   return layerError(op, diag::OpBadAttribute, keys::stride_x,
//                     "the key stride_x is out of range")
//       .found("0").expected("1 to 65535");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERERROR_H
#define YARROW_DIALECTS_COMPASS_LAYERERROR_H

#include "mlir/IR/Diagnostics.h"
#include "support/Diagnostics.h"
#include "support/Format.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace mlir {
class Operation;
}

namespace yarrow::compass {

/// An error about to be emitted; it is when the object dies. Converts to
/// failure.
class LayerError {
public:
  LayerError(mlir::Operation *op, DiagId id, llvm::StringRef key,
             const llvm::Twine &message);
  LayerError(LayerError &&) noexcept = default;
  ~LayerError();

  LayerError &found(const llvm::Twine &text);
  LayerError &expected(const llvm::Twine &text);
  LayerError &hint(const llvm::Twine &text);
  /// What to mark in the line of the key, if not the whole value.
  LayerError &token(const llvm::Twine &text);

  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename T> operator llvm::FailureOr<T>() const {
    return llvm::failure();
  }

private:
  mlir::InFlightDiagnostic diag;
  DiagId id;
  std::string key, foundText, expectedText, hintText, tokenText;
};

/// \p key is the IR key that the problem is about, or "" for the whole layer.
inline LayerError layerError(mlir::Operation *op, DiagId id,
                             llvm::StringRef key, const llvm::Twine &message) {
  return LayerError(op, id, key, message);
}

/// The parts of a LayerError that its MLIR diagnostic carries.
struct LayerErrorParts {
  DiagId id;
  std::string key, found, expected, hint, token, message;
};
/// Gives them to a diagnostic that is about to be emitted.
void attachParts(mlir::Diagnostic &diag, const LayerErrorParts &parts);
/// nullopt for a diagnostic that has none.
std::optional<LayerErrorParts> layerErrorParts(mlir::Diagnostic &diag);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERERROR_H
