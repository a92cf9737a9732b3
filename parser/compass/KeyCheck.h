//===- KeyCheck.h - Keys that an operator does not have ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The format lets anyone add keys to a layer, so a key that no record knows is
// kept and written again. But a misspelt key would silently be replaced by a
// default: a key that looks like one that the layer lacks is an error.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_KEYCHECK_H
#define YARROW_PARSER_COMPASS_KEYCHECK_H

#include "dialects/compass/Records.h"
#include "parser/compass/IrDocument.h"
#include "support/Diagnostics.h"

namespace yarrow::compass {

/// The record's name of a key, where the definition prints another spelling.
std::string meantKey(const OperatorRecord &record, const std::string &key);

/// Keys that the layer could have and has not. Looks through the whole layer
/// for each, so it is for once per layer, not once per unknown key.
std::vector<std::string> absentKeys(const OperatorRecord &record,
                                    const IrSection &layer);

/// Reports \p entry, which is no attribute of the operator, unless it belongs
/// to one (X_type beside X_value) or is information that any layer may carry.
/// \p absent is what absentKeys() returns. With \p isCompat a layer may say of
/// any constant X by X_scale, X_zp and X_range what its integers mean.
void checkUnknownKey(const OperatorRecord &record, const IrSection &layer,
                     const IrEntry &entry,
                     const std::vector<std::string> &absent, bool isCompat,
                     const std::string &fileName, DiagnosticEngine &diags);

/// The same for a constant of the weights file, at \p line.
void checkUnknownConstant(const OperatorRecord &record, const IrSection &layer,
                          const std::string &name, unsigned line, bool isCompat,
                          const std::string &fileName, DiagnosticEngine &diags);

/// Reports integers X_value that their X_type cannot hold.
void checkValueTypes(const IrSection &layer, const std::string &fileName,
                     DiagnosticEngine &diags);

/// checkUnknownKey for the header of a file or sub-graph.
void checkHeaderKeys(const IrSection &header, const std::string &fileName,
                     DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_KEYCHECK_H
