//===- PrivatePaths.h - A report without folders of this machine -*- C++ -*-==//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Pages are sent to others, who need not know whose machine a build was made on
// and in which folders. Absolute paths that a report names keep their last
// part, in lists of files and in messages.
//
//   withoutFolders(report, "/home/me/nets/a.onnx");
//   report["files"]["read"]["graph"] == "a.onnx";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_PRIVATEPATHS_H
#define YARROW_COMPILER_PAGE_PRIVATEPATHS_H

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace yarrow {

/// \p label may be another path that was given; what becomes of it.
std::string withoutFolders(nlohmann::ordered_json &report, std::string label);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_PRIVATEPATHS_H
