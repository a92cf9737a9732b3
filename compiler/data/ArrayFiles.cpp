//===- ArrayFiles.cpp - Files of arrays by their endings ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/ArrayFiles.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

using namespace yarrow;

std::string yarrow::lowerCase(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

std::string yarrow::endingOf(const std::string &path) {
  return lowerCase(std::filesystem::path(path).extension().string());
}

bool yarrow::isNpy(const std::string &path) { return endingOf(path) == ".npy"; }

bool yarrow::isNpz(const std::string &path) { return endingOf(path) == ".npz"; }
