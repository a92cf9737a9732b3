//===- Allowed.cpp - Which differences from TFLite are known --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/tflite/Allowed.h"
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace yarrow::conformance;

double yarrow::conformance::mostOff(const std::string &op) {
  static const std::set<std::string> exact{"CONV_2D", "DEPTHWISE_CONV_2D",
                                           "FULLY_CONNECTED", "TRANSPOSE_CONV"};
  return exact.contains(op) ? 0 : 1;
}

std::string Allowed::read(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return "cannot read " + path;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("#"))
      continue;
    std::istringstream words(line);
    std::string pack, op, what, reason;
    if (!(words >> pack))
      continue;
    if (!(words >> op >> what) || !std::getline(words >> std::ws, reason))
      return path + ":" + std::to_string(number) +
             ": expected '<pack> <operator> <most> <reason>'";
    if (!listed.emplace(Key(pack, op), what).second)
      return path + ":" + std::to_string(number) + ": the line comes twice";
  }
  return "";
}

bool Allowed::allows(const std::string &pack, const std::string &op,
                     double worst) {
  if (worst <= mostOff(op))
    return true;
  auto it = listed.find({pack, op});
  if (it == listed.end())
    return false;
  needed.insert(it->first);
  return worst <= std::strtod(it->second.c_str(), nullptr);
}

bool Allowed::allowsRefusal(const std::string &pack, const std::string &codes) {
  auto it = listed.find({pack, "refused"});
  if (it == listed.end() || it->second != codes)
    return false;
  needed.insert(it->first);
  return true;
}

std::vector<std::string>
Allowed::unneeded(const std::set<std::string> &packs) const {
  std::vector<std::string> lines;
  for (const auto &[key, what] : listed)
    if (packs.contains(key.first) && !needed.contains(key))
      lines.push_back(key.first + " " + key.second + " " + what);
  return lines;
}
