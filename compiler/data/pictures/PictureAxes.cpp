//===- PictureAxes.cpp - Where an input has what of a picture -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/PictureAxes.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"

using namespace yarrow;

static std::string expectedShapes(const PictureOptions &options) {
  std::string count = std::to_string(options.numChannels()),
              first = "[1," + count + ",height,width]",
              last = "[1,height,width," + count + "]";
  switch (options.layout) {
  case PictureLayout::Nchw:
    return first;
  case PictureLayout::Nhwc:
    return last;
  case PictureLayout::Auto:
    break;
  }
  return first + " or " + last;
}

std::optional<PictureAxes>
yarrow::findPictureAxes(const std::vector<int64_t> &shape,
                        const PictureOptions &options, const std::string &name,
                        DiagnosticEngine &diags) {
  auto has = [&](std::size_t axis, std::size_t channels) {
    return shape.size() == 4 && shape[axis] == int64_t(channels);
  };
  std::size_t wanted = options.numChannels();
  bool canBeFirst = options.layout != PictureLayout::Nhwc && has(1, wanted),
       canBeLast = options.layout != PictureLayout::Nchw && has(3, wanted);
  if (canBeFirst && !canBeLast)
    return PictureAxes{shape[3], shape[2], true};
  if (canBeLast && !canBeFirst)
    return PictureAxes{shape[2], shape[1], false};
  bool isGray = wanted != 1 && (has(1, 1) || has(3, 1));
  diags
      .report(
          diag::PictureForm, {name},
          canBeFirst
              ? "the channels can be the second or the last axis of the input"
              : "the network's input does not have this picture's form")
      .found("an input of " + shapeText(shape))
      .expected(expectedShapes(options))
      .hint(
          canBeFirst ? "give layout (--layout) nchw or nhwc"
          : isGray
              ? "give channels (--channels) gray for one channel"
              : "set channels (--channels) to the network's: rgb, bgr or gray");
  return std::nullopt;
}
