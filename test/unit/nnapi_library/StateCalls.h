//===- StateCalls.h - Functions called at the wrong time --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of each kind of object, every function in every state of its life: a table
// says in which it is allowed. The tests beside this file have one kind each.
//
//   const Call<ANeuralNetworksModel> calls[] = {
//       {"finish", [](auto *m) { return ANeuralNetworksModel_finish(m); },
//        {kGood, kBadState}}};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_NNAPI_LIBRARY_STATECALLS_H
#define YARROW_TEST_UNIT_NNAPI_LIBRARY_STATECALLS_H

#include "test/unit/nnapi_library/Client.h"

#include <functional>
#include <sys/mman.h>
#include <vector>

namespace yarrow::nnapi::test {

template <typename Handle> struct Call {
  const char *name;
  std::function<int(Handle *)> call;
  std::vector<int> results; ///< Of each state.
};

/// Four bytes of a file.
inline Memory floatInMemory() {
  File file({1});
  ANeuralNetworksMemory *made = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(4, PROT_READ | PROT_WRITE,
                                               file.descriptor(), 0, &made),
            kGood);
  return Memory(made);
}

} // namespace yarrow::nnapi::test

#endif // YARROW_TEST_UNIT_NNAPI_LIBRARY_STATECALLS_H
