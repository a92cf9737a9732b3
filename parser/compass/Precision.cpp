//===- Precision.cpp - The header's word for what an IR holds -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/Precision.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "support/diagnostics/Ir.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {
/// Tensors without a scale that are no floats, such as indices, are of either.
struct Kinds {
  std::string firstFloat, firstQuantized; ///< Layers.

  explicit Kinds(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (!recordOf(op))
        return;
      for (Value result : op->getResults()) {
        TensorInfo info = describe(result);
        std::string *first = info.isFloat()       ? &firstFloat
                             : info.isQuantized() ? &firstQuantized
                                                  : nullptr;
        if (first && first->empty())
          *first = layerNameOf(op).str();
      }
    });
  }
  bool hasFloats() const { return !firstFloat.empty(); }
  bool hasQuantized() const { return !firstQuantized.empty(); }
  bool contradict(StringRef word) const {
    return (word.contains_insensitive("float") && hasQuantized()) ||
           (word.starts_with_insensitive("int") && hasFloats() &&
            !hasQuantized());
  }
};
} // namespace

StringRef compass::precisionOf(ModuleOp module) {
  Kinds kinds(module);
  return !kinds.hasQuantized() ? "float32"
         : kinds.hasFloats()   ? "mixture"
                               : "int";
}

bool compass::contradictsTensors(StringRef word, ModuleOp module) {
  return Kinds(module).contradict(word);
}

void compass::checkPrecision(const IrSection &header, ModuleOp module,
                             const std::string &fileName, bool isAsked,
                             yarrow::DiagnosticEngine &diags) {
  const IrEntry *entry = header.find(kPrecisionKey.str());
  if (!entry) {
    if (isAsked)
      diags.report(diag::IrDefaultAssumed, {fileName, header.line, ""},
                   "the header has no key precision, which the definition "
                   "requires; the tensors give " +
                       precisionOf(module).str());
    return;
  }
  Kinds kinds(module);
  std::string text = entry->value.str();
  StringRef word = text;
  bool isIntWord = word.starts_with_insensitive("int");
  if (kinds.contradict(word))
    diags
        .report(diag::IrBadValue, {fileName, entry->line},
                "the key precision contradicts the tensors of the layers")
        .found(word.str() + ", but layer " +
               (isIntWord
                    ? kinds.firstFloat + " has float results"
                    : kinds.firstQuantized + " has quantized integer results"))
        .expected(precisionOf(module).str());
  else if (isIntWord && kinds.hasFloats())
    diags
        .report(diag::IrUnknownKey, {fileName, entry->line},
                "precision=" + word.str() +
                    " has no effect: some layers compute in floats")
        .hint("write precision=mixture");
}
