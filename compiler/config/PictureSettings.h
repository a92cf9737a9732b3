//===- PictureSettings.h - Keys for data that are pictures ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The keys mean, scale, channels, layout, resize and fold_preprocessing of
// [Parser] as what reads pictures takes them. Unlike the other keys of that
// section they have an effect whether the model is imported or its IR is there.
//
//   if (std::optional<PictureOptions> options = pictureOptions(config, diags))
//     task.pictures = *options;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_PICTURESETTINGS_H
#define YARROW_COMPILER_CONFIG_PICTURESETTINGS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/data/pictures/PictureOptions.h"

#include <span>

namespace yarrow::config {

/// Their names.
std::span<const std::string_view> pictureKeys();
bool isPictureKey(std::string_view key);

/// Those that were given, as options of a command that is proposed: "
/// --channels bgr --mean 127.5". What is folded into the network a run of it
/// does without.
std::string pictureOptionsText(const BuildConfig &config, bool isOfRun = false);

/// nullopt after errors, which are of numbers; words are checked when they are
/// read.
std::optional<PictureOptions> pictureOptions(const BuildConfig &config,
                                             DiagnosticEngine &diags);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_PICTURESETTINGS_H
