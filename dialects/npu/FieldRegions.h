//===- FieldRegions.h - Regions of a command's addresses --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An address of DDR is an offset in a region, which another field of the
// descriptor names: that of the buffer which the address is in.
//
//   setRegions(d, [&](unsigned i) { return bufferOfAddress(i); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_FIELDREGIONS_H
#define YARROW_DIALECTS_NPU_FIELDREGIONS_H

#include "dialects/npu/Npu.h"
#include "llvm/ADT/STLExtras.h"

#include <string_view>
#include <type_traits>

namespace yarrow::npu {

/// \p bufferOf gives the BufferOp of an address field by its number, or null.
template <typename Descriptor, typename BufferOf>
void setRegions(Descriptor &d, BufferOf bufferOf) {
  for (auto [i, field] : llvm::enumerate(Descriptor::kAddressFields)) {
    BufferOp buffer = bufferOf(unsigned(i));
    if (field.region.empty() || !buffer)
      continue;
    std::string_view regionField = field.region;
    d.forEachMember([&](std::string_view name, auto &member) {
      if (name == regionField)
        member =
            static_cast<std::decay_t<decltype(member)>>(buffer.getRegion());
    });
  }
}

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_FIELDREGIONS_H
