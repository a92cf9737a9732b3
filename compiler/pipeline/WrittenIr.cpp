//===- WrittenIr.cpp - An IR that is read again ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/WrittenIr.h"
#include "compiler/pipeline/Context.h"
#include "parser/compass/CompassReader.h"

#include <filesystem>

using namespace yarrow;

bool yarrow::writeCheckedIr(mlir::ModuleOp module, const std::string &txtPath,
                            const std::string &binPath,
                            const std::string &origin,
                            yarrow::DiagnosticEngine &diags) {
  if (!compass::writeCompassIr(module, txtPath, binPath, diags))
    return false;
  // Its own context: what is read leaves nothing in that of the module.
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  yarrow::DiagnosticEngine found;
  if (compass::readCompassIr(*context, txtPath, binPath, found,
                             compass::ReadFor::Execution))
    return true;
  for (yarrow::Diagnostic d : found.all()) {
    if (!d.isError())
      continue;
    // The lines are of a file that does not stay.
    d.place = {origin, 0, d.place.layer};
    d.message = "the integer IR would be rejected: " + d.message;
    if (d.hintText.empty())
      d.hint("try other bits for this layer, or trigger_float_op, and please "
             "report the network");
    diags.add(std::move(d));
  }
  for (const std::string &path : {txtPath, binPath}) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return false;
}
