//===- Constants.cpp - The constants of an executable ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Constants.h"
#include "dialects/compass/Tensors.h"
#include "dialects/npu/Npu.h"
#include "isa/ElfLayout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

static StringRef bytesOf(BufferOp buffer) {
  ArrayRef<char> bytes = compass::viewConstant(*buffer.getData())->bytes;
  return {bytes.data(), bytes.size()};
}

template <typename Use>
static void forEachConstant(ArrayRef<func::FuncOp> functions, Use use) {
  for (func::FuncOp func : functions)
    for (auto buffer : func.getOps<BufferOp>())
      if (buffer.getRegion() == isa::kWeightRegion)
        use(buffer);
}

void yarrow::shareConstants(ArrayRef<func::FuncOp> functions) {
  if (functions.size() < 2)
    return;
  llvm::DenseMap<StringRef, uint64_t> known;
  uint64_t endBytes = 0;
  forEachConstant(functions, [&](BufferOp buffer) {
    StringRef bytes = bytesOf(buffer);
    auto [it, isNew] = known.try_emplace(bytes, endBytes);
    if (isNew)
      endBytes = llvm::alignTo(endBytes + bytes.size(), isa::kBufferAlignBytes);
    buffer.setAddress(it->second);
  });
}

std::vector<std::span<const std::byte>>
yarrow::constantsOf(ArrayRef<func::FuncOp> functions) {
  static constexpr std::byte zeros[isa::kBufferAlignBytes] = {};
  std::map<uint64_t, StringRef> parts; // by address
  forEachConstant(functions, [&](BufferOp buffer) {
    StringRef bytes = bytesOf(buffer);
    StringRef &part = parts[uint64_t(buffer.getAddress().value_or(0))];
    if (bytes.size() > part.size()) // empty ones lie where others do
      part = bytes;
  });
  std::vector<std::span<const std::byte>> spans;
  uint64_t at = 0;
  for (auto [address, bytes] : parts) {
    for (; at < address; at += std::min<uint64_t>(sizeof zeros, address - at))
      spans.push_back(
          {zeros, size_t(std::min<uint64_t>(sizeof zeros, address - at))});
    spans.push_back(
        {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()});
    at += bytes.size();
  }
  return spans;
}
