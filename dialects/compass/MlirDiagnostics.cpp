//===- MlirDiagnostics.cpp - MLIR's diagnostics as coded ones -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/MlirDiagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

Place compass::placeOf(Location loc) {
  Place place;
  if (auto name = dyn_cast<NameLoc>(loc)) {
    place.layer = name.getName().str();
    loc = name.getChildLoc();
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    place.file = file.getFilename().str();
    place.line = file.getLine();
  }
  return place;
}

DiagnosticForwarder::DiagnosticForwarder(MLIRContext *context,
                                         DiagnosticEngine &diags, DiagId id)
    : handler(context, [&diags, id](mlir::Diagnostic &d) {
        if (d.getSeverity() != DiagnosticSeverity::Error)
          return success();
        std::string text = d.str();
        for (mlir::Diagnostic &note : d.getNotes())
          text += "; " + note.str();
        diags.report(id, placeOf(d.getLocation()), text);
        return success();
      }) {
  // File and layer say where; the printed op would bury the message.
  context->printOpOnDiagnostic(false);
}
