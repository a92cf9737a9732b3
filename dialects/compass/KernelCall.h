//===- KernelCall.h - Which kernel computes an op, with what --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The bridge from an op to the arithmetic in kernels/: the kernel's symbol, the
// bytes of its parameter struct, and the buffers in the order that the
// kernel's header documents. The evaluator runs a KernelCall on the host; the
// code generator turns the same KernelCall into a call on the TECs.
//
//   kernels::PoolIntParams params = ...;
//   call.set("yk_pool_int", params);
//   call.addInput(0);
//   call.addOutput(0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_KERNELCALL_H
#define YARROW_DIALECTS_COMPASS_KERNELCALL_H

#include "mlir/IR/BuiltinAttributes.h"
#include <cstring>
#include <string>
#include <vector>

namespace yarrow::compass {

struct KernelBuffer {
  enum class Kind { Null, Input, Output, Constant, Scratch };
  Kind kind = Kind::Null;
  unsigned index = 0;          ///< Input, Output: which operand, result.
  mlir::ElementsAttr constant; ///< Constant from the op ...
  std::vector<char> bytes;     ///< ... or made here, little-endian.
  uint64_t scratchBytes = 0;
};

struct KernelCall {
  std::string symbol;
  std::vector<char> params;
  std::vector<KernelBuffer> buffers;

  template <typename Params> void set(llvm::StringRef name, const Params &p) {
    symbol = name.str();
    params.assign(reinterpret_cast<const char *>(&p),
                  reinterpret_cast<const char *>(&p) + sizeof(p));
  }
  template <typename Params> Params paramsAs() const {
    Params p;
    assert(params.size() == sizeof(p) && "not this kernel's parameters");
    std::memcpy(&p, params.data(), sizeof(p));
    return p;
  }
  void addInput(unsigned index) {
    buffers.push_back({KernelBuffer::Kind::Input, index, {}, {}, 0});
  }
  void addOutput(unsigned index) {
    buffers.push_back({KernelBuffer::Kind::Output, index, {}, {}, 0});
  }
  /// A constant attribute of the op; null when the attribute is absent.
  void addConstant(mlir::ElementsAttr attr) {
    buffers.push_back(
        {attr ? KernelBuffer::Kind::Constant : KernelBuffer::Kind::Null,
         0,
         attr,
         {},
         0});
  }
  void addConstantBytes(std::vector<char> bytes) {
    buffers.push_back(
        {KernelBuffer::Kind::Constant, 0, {}, std::move(bytes), 0});
  }
  void addScratch(uint64_t sizeBytes) {
    buffers.push_back({KernelBuffer::Kind::Scratch, 0, {}, {}, sizeBytes});
  }
  void addNull() { buffers.push_back({}); }
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_KERNELCALL_H
