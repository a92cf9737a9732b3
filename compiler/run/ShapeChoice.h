//===- ShapeChoice.h - Which shapes a run's inputs have ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An executable may have programs for several shapes of its inputs. A run takes
// the one that its files fit: of several the one that takes the fewest runs, so
// that 8 rows go through a program for 8 rows once, and not through one for 2
// rows four times.
//
//   auto chosen = chooseShapes(executable, {"in0.npy"}, {}, diags);
//   auto inputs = readRunInputs({"in0.npy"}, chosen->inputs(), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_SHAPECHOICE_H
#define YARROW_COMPILER_RUN_SHAPECHOICE_H

#include "runtime/Executable.h"

namespace yarrow {

/// \p given has values of --input-shape: variants with other shapes of those
/// inputs are left out. An executable of one program stays as it is. Null after
/// TensorMismatch, which tells what there is to choose from.
std::shared_ptr<const runtime::Executable>
chooseShapes(std::shared_ptr<const runtime::Executable> executable,
             const std::vector<std::string> &paths,
             const std::vector<std::string> &given, DiagnosticEngine &diags);

/// "x 1x8x16, mask 1x8": the inputs of a variant, or its outputs.
std::string variantText(const runtime::Executable &executable, size_t variant,
                        bool isOutputs = false);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_SHAPECHOICE_H
