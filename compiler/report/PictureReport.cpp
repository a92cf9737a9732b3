//===- PictureReport.cpp - What became of pictures, for reports -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/PictureReport.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/data/DataSet.h"

using namespace yarrow;

template <typename T, std::size_t N>
static std::string wordOf(T wanted,
                          const std::pair<std::string_view, T> (&words)[N]) {
  for (const auto &[word, value] : words)
    if (value == wanted)
      return std::string(word);
  return "";
}

nlohmann::ordered_json
yarrow::picturesJson(const PictureOptions &options,
                     const std::vector<std::string> &files) {
  if (!hasPictures(files))
    return {};
  return {{"mean", options.mean},
          {"scale", options.scale},
          {"channels", wordOf(options.channels, kPictureChannels)},
          {"layout", wordOf(options.layout, kPictureLayouts)},
          {"resize", wordOf(options.fit, kPictureFits)},
          {"is_folded", options.isFolded}};
}

nlohmann::ordered_json
yarrow::picturesJson(const config::BuildConfig &config,
                     const std::vector<std::string> &files) {
  DiagnosticEngine checked;
  auto options = config::pictureOptions(config, checked);
  return options ? picturesJson(*options, files) : nlohmann::ordered_json();
}
