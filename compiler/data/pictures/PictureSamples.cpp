//===- PictureSamples.cpp - Pictures as samples of an input ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/PictureSamples.h"
#include "compiler/data/pictures/PictureAxes.h"
#include "compiler/data/pictures/ReadPicture.h"
#include "support/Format.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <filesystem>

using namespace yarrow;
namespace fs = std::filesystem;

static bool isPictureFile(const std::string &path) {
  std::string end = fs::path(path).extension().string();
  std::ranges::transform(end, end.begin(),
                         [](unsigned char c) { return char(std::tolower(c)); });
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

bool yarrow::isPictureSource(const std::string &path) {
  std::error_code error;
  return isPictureFile(path) || fs::is_directory(path, error);
}

std::vector<std::string> yarrow::pictureFiles(const std::string &path,
                                              DiagnosticEngine &diags) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {path};
  std::vector<std::string> files;
  std::size_t others = 0;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    // What begins with a dot is of the system that wrote the folder.
    if (isPictureFile(name) && name.front() != '.')
      files.push_back(entry->path().string());
    else
      ++others;
  }
  if (error) {
    diags.report(diag::FileUnreadable, {path}, "cannot read the folder")
        .found(error.message());
    return {};
  }
  std::ranges::sort(files);
  if (files.empty())
    diags.report(diag::PicturesMissing, {path}, "the folder has no pictures")
        .found(others == 0 ? "an empty folder"
                           : formatCount(others) + " other files and folders")
        .expected("files that end in .png, .jpg or .jpeg");
  return files;
}

namespace {

/// Pixels of three bytes as values of one picture in the network's layout.
class Preparation {
public:
  Preparation(const PictureAxes &axes, const PictureOptions &options)
      : options(options), axes(axes) {}

  std::size_t valuesOfOne() const {
    return std::size_t(axes.width * axes.height) * options.numChannels();
  }

  void prepare(const Picture &picture, float *to) const {
    std::vector<uint8_t> pixels =
        resized(picture, axes.width, axes.height, options.fit);
    std::size_t area = std::size_t(axes.width * axes.height),
                channels = options.numChannels();
    for (std::size_t c = 0; c < channels; ++c) {
      float mean = options.meanOf(c), scale = options.scaleOf(c);
      for (std::size_t i = 0; i < area; ++i) {
        float value = (float(channelOf(&pixels[i * 3], c)) - mean) * scale;
        to[axes.isFirst ? c * area + i : i * channels + c] = value;
      }
    }
  }

private:
  /// Gray as ITU-R BT.601 weighs colours, in 2^16 parts, rounded.
  uint8_t channelOf(const uint8_t *pixel, std::size_t channel) const {
    constexpr uint32_t kRed = 19595, kGreen = 38470, kBlue = 7471;
    switch (options.channels) {
    case PictureChannels::Rgb:
      return pixel[channel];
    case PictureChannels::Bgr:
      return pixel[2 - channel];
    case PictureChannels::Gray:
      return uint8_t(
          (pixel[0] * kRed + pixel[1] * kGreen + pixel[2] * kBlue + 0x8000) >>
          16);
    }
    return 0;
  }

  const PictureOptions &options;
  const PictureAxes &axes;
};

} // namespace

/// Values take memory, all of them at once.
static bool checkMemory(const std::string &path, std::size_t pictures,
                        std::size_t valuesOfOne, DiagnosticEngine &diags) {
  constexpr std::size_t kMostValues = std::size_t(1) << 30;
  if (valuesOfOne <= kMostValues / pictures)
    return true;
  diags
      .report(diag::ResourcesExhausted, {path},
              "the folder has more pictures than fit in memory at once")
      .found(formatCount(pictures) + " pictures of " +
             formatCount(valuesOfOne) + " values")
      .expected("at most " + formatCount(kMostValues / valuesOfOne))
      .hint("a few hundred are enough to find a network's ranges: give part of "
            "the folder");
  return false;
}

/// Gray pictures in a network of colours are worth a word.
static void noteGray(const std::string &path, std::size_t grays,
                     std::size_t pictures, DiagnosticEngine &diags) {
  diags.report(
      diag::PicturesGray, {path},
      pictures == 1
          ? "the picture is gray: all three channels get its values"
          : formatCount(grays) + " of " + formatCount(pictures) +
                " pictures are gray: all three channels get their values");
}

std::optional<NpyView> yarrow::readPictureSamples(
    const std::string &path, const std::vector<int64_t> &shape,
    const PictureOptions &given, DiagnosticEngine &diags) {
  std::vector<std::string> files = pictureFiles(path, diags);
  if (files.empty())
    return std::nullopt;
  auto axes = findPictureAxes(shape, given, path, diags);
  if (!axes)
    return std::nullopt;
  PictureOptions options = given.outside();
  Preparation preparation(*axes, options);
  std::size_t size = preparation.valuesOfOne();
  if (!checkMemory(path, files.size(), size, diags))
    return std::nullopt;
  auto values = std::make_shared<std::vector<float>>(files.size() * size);
  // Each its own, so that messages come in the order of the files.
  std::vector<DiagnosticEngine> problems(files.size());
  std::vector<char> isGray(files.size(), 0);
  parallelFor(files.size(), [&](std::size_t i) {
    std::optional<Picture> picture = readPicture(files[i], problems[i]);
    if (!picture)
      return;
    isGray[i] = picture->isGray;
    preparation.prepare(*picture, values->data() + i * size);
  });
  bool isGood = true;
  for (const DiagnosticEngine &own : problems) {
    isGood &= !own.hasErrors();
    for (const Diagnostic &problem : own.all())
      diags.add(problem);
  }
  if (!isGood)
    return std::nullopt;
  std::size_t grays = std::size_t(std::ranges::count(isGray, 1));
  if (grays && options.channels != PictureChannels::Gray)
    noteGray(path, grays, files.size(), diags);
  NpyView view;
  view.type = NpyType::Float32;
  view.name = path;
  view.shape = shape;
  view.shape[0] = int64_t(files.size());
  view.numElements = values->size();
  view.data = values->data();
  view.owner = std::move(values);
  return view;
}
