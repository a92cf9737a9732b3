//===- MlirDiagnostics.cpp - MLIR's diagnostics as coded ones -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/LayerError.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static Location locationOf(MLIRContext *context, const Place &place) {
  Location loc = UnknownLoc::get(context);
  if (!place.file.empty())
    loc = FileLineColLoc::get(context, place.file, place.line, 0);
  if (!place.layer.empty())
    loc = NameLoc::get(StringAttr::get(context, place.layer), loc);
  return loc;
}

void compass::emitDiagnostic(MLIRContext *context,
                             const yarrow::Diagnostic &diagnostic) {
  Location loc = locationOf(context, diagnostic.place);
  InFlightDiagnostic diag =
      diagnostic.isError() ? emitError(loc) : emitWarning(loc);
  diag << diagnostic.str();
  attachParts(*diag.getUnderlyingDiagnostic(),
              {diagnostic.id, "", diagnostic.foundText, diagnostic.expectedText,
               diagnostic.hintText, diagnostic.place.token,
               diagnostic.message});
}

/// "'compass.pooling' op needs ..." without the op's name, which the user did
/// not write.
static std::string withoutOpName(std::string text) {
  if (!text.starts_with("'compass."))
    return text;
  size_t end = text.find("' op ");
  return end == std::string::npos ? text : text.substr(end + 5);
}

DiagnosticForwarder::DiagnosticForwarder(MLIRContext *context,
                                         DiagnosticEngine &diags, DiagId id)
    : handler(context, [&diags, id](mlir::Diagnostic &d) {
        auto parts = layerErrorParts(d);
        if (!parts && d.getSeverity() != DiagnosticSeverity::Error)
          return success();
        Place place = placeOf(d.getLocation(), parts ? parts->key : "");
        std::string text = withoutOpName(d.str());
        for (mlir::Diagnostic &note : d.getNotes())
          text += "; " + note.str();
        if (!parts) {
          diags.report(id, place, text);
          return success();
        }
        place.token = parts->token;
        diags.report(parts->id, place, parts->message)
            .found(parts->found)
            .expected(parts->expected)
            .hint(parts->hint);
        return success();
      }) {
  // File and layer say where; the printed op would bury the message.
  context->printOpOnDiagnostic(false);
}
