//===- JsonFile.h - JSON with diagnostics ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// nlohmann::json without its exceptions: what is wrong with a file becomes a
// diagnostic with a line. A key given twice is an error, since one of the two
// values would silently win. Comments (//, /* */) are allowed.
//
//   if (std::optional<nlohmann::json> json = readJsonFile(path, diags))
//     use(*json);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_JSONFILE_H
#define YARROW_SUPPORT_JSONFILE_H

#include "support/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace yarrow {

std::optional<nlohmann::json> readJsonFile(const std::string &path,
                                           DiagnosticEngine &diags);

/// The same for text in memory; \p name stands in for the path.
std::optional<nlohmann::json> parseJson(std::string_view text,
                                        const std::string &name,
                                        DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_SUPPORT_JSONFILE_H
