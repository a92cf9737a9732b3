//===- LibraryClient.h - Recorded cases through the C library ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Builds a case's model by the functions of libneuralnetworks.so, compiles it
// for one device, and executes it in some of the ways that there are.
//
//   LibraryClient client("yarrow-X2_1204");
//   for (const LibraryResult &result : client.run(recorded, {Way::Fenced}))
//     if (result.code != ANEURALNETWORKS_NO_ERROR) ... result.call ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_LIBRARYCLIENT_H
#define YARROW_TEST_VTS_LIBRARYCLIENT_H

#include "api/nnapi/include/yarrow/NeuralNetworks.h"
#include "test/vts/CaseFile.h"

namespace yarrow::vts {

/// How an execution is made.
enum class Way {
  Sync,
  Async,    ///< startCompute, and the event is waited for.
  Burst,    ///< Twice in one burst.
  Fenced,   ///< Behind the event of another execution.
  Reusable, ///< Computed twice.
  Memory,   ///< Inputs and outputs lie in memory from file descriptors.
  Unsized,  ///< Outputs without lengths: told first, then big enough.
};

/// By their names on the command line.
inline constexpr std::pair<std::string_view, Way> kWays[] = {
    {"sync", Way::Sync},         {"async", Way::Async},
    {"burst", Way::Burst},       {"fenced", Way::Fenced},
    {"reusable", Way::Reusable}, {"memory", Way::Memory},
    {"unsized", Way::Unsized}};

struct LibraryResult {
  int code = ANEURALNETWORKS_NO_ERROR;
  std::string call = {}; ///< That gave the code.
  std::vector<nnapi::Value> outputs = {};
};

class LibraryClient {
public:
  /// Asserts that there is such a device: see hasDevice().
  explicit LibraryClient(const std::string &device);
  static bool hasDevice(const std::string &name);

  /// Of each of \p ways. The model is compiled once for all, and once more
  /// without lengths if Unsized is among them.
  std::vector<LibraryResult> run(const Case &recorded,
                                 const std::vector<Way> &ways) const;

private:
  ANeuralNetworksDevice *device = nullptr;
};

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_LIBRARYCLIENT_H
