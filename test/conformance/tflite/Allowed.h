//===- Allowed.h - Which differences from TFLite are known ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers that multiply and accumulate must give TFLite's integers, others may
// be one step off. What differs more, and what is refused, is in a list with
// its reason, and what is no longer needed there fails like what is missing.
// Lines:
//
//   <pack> <operator|OUTPUT> <most> <reason>
//   <pack> refused <codes> <reason>
//
// OUTPUT is the difference of the outputs after all layers, of all samples.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_TFLITE_ALLOWED_H
#define YARROW_TEST_CONFORMANCE_TFLITE_ALLOWED_H

#include <map>
#include <set>
#include <string>
#include <vector>

namespace yarrow::conformance {

class Allowed {
public:
  /// "" or what is wrong with the file.
  std::string read(const std::string &path);

  /// Whether \p worst is allowed for the pack's layers of \p op.
  bool allows(const std::string &pack, const std::string &op, double worst);
  /// Whether the pack may be refused with these codes ("E1021" or "E1,E2").
  bool allowsRefusal(const std::string &pack, const std::string &codes);
  /// Lines for these packs that nothing needed.
  std::vector<std::string> unneeded(const std::set<std::string> &packs) const;

private:
  using Key = std::pair<std::string, std::string>; ///< Pack and operator.
  std::map<Key, std::string> listed;
  std::set<Key> needed;
};

/// How far off an operator's integers may be if nothing is said: 0 or 1.
double mostOff(const std::string &op);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_TFLITE_ALLOWED_H
