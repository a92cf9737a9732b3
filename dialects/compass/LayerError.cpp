//===- LayerError.cpp - Problems of a layer, with code, key and values ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerError.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// First of the strings that a LayerError attaches, so that other metadata is
/// not mistaken for it.
static constexpr llvm::StringLiteral kMark = "compass.layer_error";

LayerError::LayerError(Operation *op, DiagId id, StringRef key,
                       const llvm::Twine &message)
    : diag(op->emitError(message)), id(id), key(key.str()) {}

LayerError::~LayerError() {
  mlir::Diagnostic *d = diag.getUnderlyingDiagnostic();
  if (!d)
    return; // moved from
  std::string message = d->str();
  // Who sees MLIR's diagnostics as they are reads the values in the text.
  if (!foundText.empty())
    diag << "; found " << foundText;
  if (!expectedText.empty())
    diag << "; expected " << expectedText;
  attachParts(*d, {id, key, foundText, expectedText, hintText, tokenText,
                   std::move(message)});
}

void compass::attachParts(mlir::Diagnostic &d, const LayerErrorParts &parts) {
  Builder b(d.getLocation().getContext());
  // An attribute, because a diagnostic does not own the strings given to it as
  // arguments.
  d.getMetadata().push_back(DiagnosticArgument(Attribute(b.getStrArrayAttr(
      {kMark, std::string(parts.id->code), parts.key, parts.found,
       parts.expected, parts.hint, parts.token, parts.message}))));
}

LayerError &LayerError::found(const llvm::Twine &text) {
  foundText = text.str();
  return *this;
}
LayerError &LayerError::expected(const llvm::Twine &text) {
  expectedText = text.str();
  return *this;
}
LayerError &LayerError::hint(const llvm::Twine &text) {
  hintText = text.str();
  return *this;
}
LayerError &LayerError::token(const llvm::Twine &text) {
  tokenText = text.str();
  return *this;
}

std::optional<LayerErrorParts> compass::layerErrorParts(mlir::Diagnostic &d) {
  for (const DiagnosticArgument &argument : d.getMetadata()) {
    if (argument.getKind() !=
        DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      continue;
    auto list = dyn_cast<ArrayAttr>(argument.getAsAttribute());
    if (!list || list.size() != 8)
      continue;
    auto text = [&](size_t i) { return cast<StringAttr>(list[i]).str(); };
    if (text(0) != kMark)
      continue;
    return LayerErrorParts{*findDiag(text(1)),
                           text(2),
                           text(3),
                           text(4),
                           text(5),
                           text(6),
                           text(7)};
  }
  return std::nullopt;
}
