//===- PictureReport.h - What became of pictures, for reports ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The member "pictures" of docs/report.md: with these figures other pictures
// become the same inputs.
//
//   report.pictures = picturesJson(options, {"photos/"});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_REPORT_PICTUREREPORT_H
#define YARROW_COMPILER_REPORT_PICTUREREPORT_H

#include "compiler/config/BuildConfig.h"
#include "compiler/data/pictures/PictureOptions.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace yarrow {

/// Null if none of \p files are pictures.
nlohmann::ordered_json picturesJson(const PictureOptions &options,
                                    const std::vector<std::string> &files);
/// Of a configuration whose numbers are checked.
nlohmann::ordered_json picturesJson(const config::BuildConfig &config,
                                    const std::vector<std::string> &files);

} // namespace yarrow

#endif // YARROW_COMPILER_REPORT_PICTUREREPORT_H
