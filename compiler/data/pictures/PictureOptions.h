//===- PictureOptions.h - How pictures become an input ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What is done to the pixels of a picture until a network takes them: to its
// size first (Resize.h), then into its order of channels, then
//
//   value = (pixel - mean) * scale            pixel: 0 to 255
//
// One record for calibration, evaluation and runs, so that all of them do the
// same. The keys mean, scale, channels, layout and resize of [Parser] fill it.
//
//   PictureOptions options;
//   options.mean = *pictureNumbers("123.675,116.28,103.53");
//   options.scale = *pictureNumbers("1/58.395,1/57.12,1/57.375");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_PICTUREOPTIONS_H
#define YARROW_COMPILER_DATA_PICTURES_PICTUREOPTIONS_H

#include "compiler/data/pictures/Resize.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace yarrow {

enum class PictureChannels { Rgb, Bgr, Gray };
enum class PictureLayout { Auto, Nchw, Nhwc };

// The words that keys and reports have for them.
inline constexpr std::pair<std::string_view, PictureChannels>
    kPictureChannels[] = {{"rgb", PictureChannels::Rgb},
                          {"bgr", PictureChannels::Bgr},
                          {"gray", PictureChannels::Gray}};
inline constexpr std::pair<std::string_view, PictureLayout> kPictureLayouts[] =
    {{"auto", PictureLayout::Auto},
     {"nchw", PictureLayout::Nchw},
     {"nhwc", PictureLayout::Nhwc}};
inline constexpr std::pair<std::string_view, PictureFit> kPictureFits[] = {
    {"stretch", PictureFit::Stretch},
    {"crop", PictureFit::Crop},
    {"letterbox", PictureFit::Letterbox}};

struct PictureOptions {
  /// One number, or one for each channel of the network, in its order.
  std::vector<double> mean = {0}, scale = {1};
  PictureChannels channels = PictureChannels::Rgb;
  PictureLayout layout = PictureLayout::Auto;
  PictureFit fit = PictureFit::Stretch;
  /// Mean, scale and the order of channels are layers of the network.
  bool isFolded = false;

  std::size_t numChannels() const {
    return channels == PictureChannels::Gray ? 1 : 3;
  }
  float meanOf(std::size_t channel) const {
    return float(mean[mean.size() == 1 ? 0 : channel]);
  }
  float scaleOf(std::size_t channel) const {
    return float(scale[scale.size() == 1 ? 0 : channel]);
  }
  /// What is left to be done to a picture before the network.
  PictureOptions outside() const {
    PictureOptions left = *this;
    if (isFolded && channels == PictureChannels::Bgr)
      left.channels = PictureChannels::Rgb;
    if (isFolded)
      left.mean = {0}, left.scale = {1};
    return left;
  }
  bool operator==(const PictureOptions &) const = default;
};

/// "0.5", "1/255" or three of them with commas between; nullopt if it is
/// anything else.
std::optional<std::vector<double>> pictureNumbers(std::string_view text);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_PICTUREOPTIONS_H
