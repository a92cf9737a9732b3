//===- Digits.h - The example network, in memory --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto network = digits::network(diags);
//   auto quantized = session::quantize(network, digits::samples(), {},
//   {diags});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SESSION_DIGITS_H
#define YARROW_TEST_UNIT_SESSION_DIGITS_H

#include "compiler/session/Compile.h"
#include "compiler/session/Quantize.h"
#include "compiler/session/Run.h"

#include <fstream>
#include <sstream>
#include <string>

namespace digits {

inline std::string path(const char *name) {
  return std::string(YARROW_DIGITS "/") + name;
}

inline std::string content(const char *name) {
  std::ifstream file(path(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::span<const std::byte> bytes(const std::string &text) {
  return std::as_bytes(std::span(text));
}

/// From its content alone.
inline std::shared_ptr<const yarrow::session::Network>
network(const yarrow::session::Call &call) {
  std::string text = content("digits.txt"), weights = content("digits.bin");
  yarrow::session::ModelSource source{"digits.txt"};
  source.bytes = bytes(text);
  source.weightBytes = bytes(weights);
  return yarrow::session::load(source, call);
}

/// The array of a file, in memory, for the network's input.
inline yarrow::session::Data data(const char *name, std::size_t count) {
  auto text = std::make_shared<std::string>(content(name));
  yarrow::DiagnosticEngine diags;
  auto array = yarrow::parseNpy(bytes(*text), text, name, diags);
  std::size_t perSample = array->numElements / std::size_t(array->shape[0]);
  yarrow::NpyView first = array->part(0, count * perSample);
  first.shape = array->shape;
  first.shape[0] = int64_t(count);
  return {{{"", first}}};
}

/// So few that quantization takes no time.
inline yarrow::session::Data samples() { return data("calibration.npy", 8); }

} // namespace digits

#endif // YARROW_TEST_UNIT_SESSION_DIGITS_H
