//===- Quotients.cpp - Divisions on the tensor engine ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A division is a product with the divisor's inverse, which is in a table
// (kernels/arithmetic/Eltwise.h). The engine looks the inverses up, of a
// divisor that is known the compiler does, and multiplies.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "kernels/Broadcast.h"
#include "kernels/activation/Lookup.h"
#include "kernels/arithmetic/Eltwise.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"
#include "passes/lower/describe/Pointwise.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using kernels::DivIntParams;
using kernels::DType;

namespace {
/// The inverse of stored divisors, with its sign.
class Inverses {
public:
  Inverses(const DivIntParams &p, const compass::ConstantView &table)
      : p(p), table(table) {}
  int32_t of(int64_t stored) const {
    auto divisor = int32_t(stored + p.zpB);
    int32_t index = std::abs(divisor), inverse;
    kernels::lookup(&index, 1, p.tableType, table.bytes.data(), p.inBits,
                    p.log2TableSize, &inverse);
    return divisor < 0 ? -inverse : inverse;
  }

private:
  const DivIntParams &p;
  const compass::ConstantView &table;
};
} // namespace

/// The bytes of inverses in the narrowest type that the engine multiplies, or
/// int32.
static std::vector<char> packed(ArrayRef<int32_t> inverses, DType &type) {
  auto [least, most] = std::minmax_element(inverses.begin(), inverses.end());
  type = *least >= 0 && *most <= UINT16_MAX          ? DType::U16
         : *least >= INT16_MIN && *most <= INT16_MAX ? DType::I16
                                                     : DType::I32;
  uint32_t bytes = kernels::dtypeBytes(type);
  std::vector<char> data(inverses.size() * bytes);
  for (auto [i, inverse] : llvm::enumerate(inverses))
    std::memcpy(&data[i * bytes], &inverse, bytes);
  return data;
}

bool Lowering::lowerQuotient(const Step &step) {
  auto p = step.call.paramsOf<kernels::DivInt>();
  const BufferBinding &table = step.call["table"];
  if (!isEngineType(p.typeA) || !isEngineType(p.typeB) ||
      table.kind != BufferBinding::Kind::Constant || p.inBits > 16)
    return false;
  Inverses inverses(p, table.view);
  std::string name = compass::layerNameOf(step.op).str() + ".inverse";
  Tensor divisor = tensorOf(step, "b"), inverse = divisor;
  inverse.offsetBytes = 0;
  uint64_t count = divisor.sizeBytes() / kernels::dtypeBytes(p.typeB);

  DType type = DType::U16;
  auto constant = constantOf(step, step.call["b"]);
  Pointwise lookups;
  std::vector<char> lut;
  if (constant) {
    SmallVector<int32_t> values;
    for (int64_t i = 0, e = constant->numElements(); i < e; ++i)
      values.push_back(inverses.of(constant->intAt(i)));
    lut = packed(values, type);
  } else if (kernels::dtypeBytes(p.typeB) == 1) {
    SmallVector<int32_t> values;
    int64_t first = compass::dtypeRange(p.typeB).first;
    for (int64_t i = 0; i < 256; ++i)
      values.push_back(inverses.of(first + i));
    lut = packed(values, type);
    if (!describeByteTable(p.typeB, type, count, lookups))
      return false;
  } else if (compass::dtypeRange(p.typeB).first + p.zpB >= 0 &&
             p.tableType == DType::U16) {
    // The kernel's own table, in which the engine interpolates as it does.
    lut.assign(table.view.bytes.begin(), table.view.bytes.end());
    if (!describeWordTable(p.typeB, type, -p.zpB, p.inBits, p.log2TableSize,
                           count, lookups))
      return false;
  } else {
    return false;
  }
  Pointwise product;
  if (!describeQuotient(p, type, machine, product))
    return false;
  uint64_t sizeBytes = count * kernels::dtypeBytes(type);
  inverse.partBytes = sizeBytes;
  // Of a large tensor the product reads them from DDR, slice by slice.
  inverse.inSram = !constant && sizeBytes <= freeSramBytes() / 4;
  inverse.buffer = constant         ? newConstant(lut, name)
                   : inverse.inSram ? newSram(sizeBytes, name)
                                    : newWorkspace(sizeBytes, name);
  // Should the product not fit after all, the TECs divide, and the inverses
  // were for nothing.
  return (constant || emitPointwise(step, lookups, divisor, Tensor(), inverse,
                                    [&](StringRef what) {
                                      return newConstant(lut, what);
                                    })) &&
         emitPointwise(step, product, tensorOf(step, "a"), inverse,
                       tensorOf(step, "output"), {});
}
