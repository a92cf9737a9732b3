//===- PictureSettings.cpp - Keys that say what becomes of pictures -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/PictureSettings.h"

#include "compiler/config/SettingEdits.h"
#include "support/Format.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::config;

std::span<const std::string_view> yarrow::config::pictureKeys() {
  static constexpr std::string_view keys[] = {
      "mean", "scale", "channels", "layout", "resize", "fold_preprocessing"};
  return keys;
}

bool yarrow::config::isPictureKey(std::string_view key) {
  return std::ranges::find(pictureKeys(), key) != pictureKeys().end();
}

/// Whether a run of the network has it inside.
static bool isInside(std::string_view key, const BuildConfig &config) {
  if (key == "fold_preprocessing")
    return true;
  bool isOrder = key == "channels" && config.pictureChannels != "gray";
  return config.foldsPreprocessing &&
         (key == "mean" || key == "scale" || isOrder);
}

std::string yarrow::config::pictureOptionsText(const BuildConfig &config,
                                               bool isOfRun) {
  std::string text;
  for (std::string_view key : pictureKeys()) {
    auto given = config.texts.find("Parser." + std::string(key));
    if (given == config.texts.end() || given->second.empty() ||
        (isOfRun && isInside(key, config)))
      continue;
    if (key != "fold_preprocessing")
      text += " " + optionOf(key) + " " + shellWord(given->second);
    else if (config.foldsPreprocessing)
      text += " " + optionOf(key);
  }
  return text;
}

/// Of the words that the key's record has.
template <typename T, std::size_t N>
static T valueOf(std::string_view word,
                 const std::pair<std::string_view, T> (&values)[N]) {
  for (const auto &[name, value] : values)
    if (name == word)
      return value;
  return values[0].second;
}

std::optional<PictureOptions>
yarrow::config::pictureOptions(const BuildConfig &config,
                               DiagnosticEngine &diags) {
  PictureOptions options;
  options.channels = valueOf(config.pictureChannels, kPictureChannels);
  options.layout = valueOf(config.pictureLayout, kPictureLayouts);
  options.fit = valueOf(config.pictureResize, kPictureFits);
  options.isFolded = config.foldsPreprocessing;
  bool ok = true;
  auto take = [&](const char *key, const std::string &text,
                  std::vector<double> &numbers) {
    auto read = pictureNumbers(text);
    if (read && (read->size() == 1 || read->size() == options.numChannels())) {
      numbers = std::move(*read);
      return;
    }
    ok = false;
    diags
        .report(diag::ConfigBadValue,
                config.place(std::string("Parser.") + key),
                std::string(key) + " needs one number, or one for each channel")
        .found(text)
        .expected(options.numChannels() == 1 ? "one number"
                                             : "one number, or three")
        .hint("numbers refer to pixels from 0 to 255: mean = 127.5 and scale = "
              "1/127.5 map them to -1 to 1");
  };
  take("mean", config.pictureMean, options.mean);
  take("scale", config.pictureScale, options.scale);
  return ok ? std::optional(options) : std::nullopt;
}
