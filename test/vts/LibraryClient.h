//===- LibraryClient.h - Recorded cases through the C library ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Builds a case's model by the functions of libneuralnetworks.so, compiles it
// for one device, and executes it in one of the ways that there are.
//
//   LibraryClient client("yarrow-X2_1204");
//   LibraryResult result = client.run(recorded, Way::Fenced);
//   if (result.code != ANEURALNETWORKS_NO_ERROR) ... result.call ...
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

  LibraryResult run(const Case &recorded, Way way) const;

private:
  ANeuralNetworksDevice *device = nullptr;
};

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_LIBRARYCLIENT_H
