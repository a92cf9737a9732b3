//===- Refusals.cpp - What may be refused, and how often ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/Refusals.h"
#include <algorithm>
#include <fstream>
#include <sstream>

using namespace yarrow::conformance;

std::string Refusals::read(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return "cannot read " + path;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string ir, reason;
    size_t packs = 0;
    if (!(words >> ir))
      continue;
    static constexpr std::string_view kIrs[] = {"int", "float", "qdq", "onnx",
                                                "import"};
    if (std::ranges::find(kIrs, ir) == std::end(kIrs) || !(words >> packs) ||
        packs == 0 || !std::getline(words >> std::ws, reason))
      return path + ":" + std::to_string(number) +
             ": expected '<int|float> <packs> <reason>'";
    reason.resize(reason.find_last_not_of(' ') + 1);
    if (!listed.emplace(ir + " " + reason, packs).second)
      return path + ":" + std::to_string(number) + ": the reason comes twice";
  }
  return "";
}

std::vector<std::string> Refusals::differences(const std::string &ir,
                                               const Counts &found) const {
  std::vector<std::string> texts;
  for (const auto &[key, packs] : listed) {
    if (!key.starts_with(ir + " "))
      continue;
    std::string reason = key.substr(ir.size() + 1);
    auto it = found.find(reason);
    size_t now = it == found.end() ? 0 : it->second;
    if (now != packs)
      texts.push_back(
          reason + ": refuses " + std::to_string(now) + " packs, on the list " +
          std::to_string(packs) +
          (now < packs ? "; what works is to be taken off it" : ""));
  }
  return texts;
}
