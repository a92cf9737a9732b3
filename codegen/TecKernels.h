//===- TecKernels.h - Operator kernels specialized on parameters ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles one kernel of the operator library for parameters that are known,
// so that its case distinctions fold away and its loops get constant bounds.
//
//   SpecializedKernel kernel("yk_softmax_lut_int", params, /*tecs=*/4);
//   // an object that defines
//   //   void <kernel.functionName>(void *const *buffers, uint32_t task);
//   std::shared_ptr<const std::vector<char>> object = kernel.compile(cache);
//
// Some words of the parameters can stay open, for example multipliers and
// shifts that differ in every time step of a recurrent layer. They are further
// arguments; all other words are constants:
//
//   SpecializedKernel kernel("yk_eltwise_int", params, 4, {17, 18});
//   //   void <kernel.functionName>(buffers, task, word17, word18);
//
// Objects are kept for the life of the process, and in a cache for later
// processes: layers of a network often have the same parameters, and so do the
// networks of a test run.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECKERNELS_H
#define YARROW_CODEGEN_TECKERNELS_H

#include "support/BuildCache.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yarrow {

struct SpecializedKernel {
  std::string symbol;
  std::vector<char> params; ///< Words that are open are 0.
  uint32_t tecs;
  std::vector<uint32_t> openWords; ///< Numbers of words of 32 bits, sorted.
  std::string functionName;

  SpecializedKernel(std::string symbol, std::vector<char> params, uint32_t tecs,
                    std::vector<uint32_t> openWords = {});

  /// May be called from several threads.
  std::shared_ptr<const std::vector<char>>
  compile(const BuildCache &cache) const;
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECKERNELS_H
