//===- RebatchProgram.cpp - QueryRebatch as gathers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/movement/StridedCopy.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/indexing/Indexing.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// One gather for each image and camera, and one copy of zeros behind it.
LogicalResult QueryRebatchOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  if (failed(checkSameElement(*this, x, out)))
    return failure();
  uint64_t elemBytes = kernels::dtypeBytes(x.dtype);
  uint64_t rowBytes = elemBytes * uint64_t(x.shape[2]),
           imageBytes = rowBytes * uint64_t(x.shape[1]);
  int64_t cameras = out.shape[1], length = out.shape[2];
  for (unsigned i = 1; i <= cameras; ++i)
    callCheckIndices(*this, program, i, {x.shape[1]});
  for (int64_t image = 0; image < out.shape[0]; ++image)
    for (int64_t camera = 0; camera < cameras; ++camera) {
      TensorInfo indices = describe(getOperand(unsigned(camera) + 1));
      int64_t places = indices.shape[0];
      uint64_t first = rowBytes * uint64_t((image * cameras + camera) * length);
      kernels::GatherNDParams p;
      p.elemBytes = uint32_t(elemBytes);
      p.places = uint32_t(places), p.inner = uint32_t(x.shape[2]);
      p.rank = 1, p.dims[0] = uint32_t(x.shape[1]);
      p.indexType = indices.dtype;
      KernelCall &call = program.call<kernels::GatherND>(p);
      call["input"] = operand(0).at(uint64_t(image) * imageBytes, imageBytes);
      call["indices"] = operand(unsigned(camera) + 1);
      call["output"] = result(0).at(first, uint64_t(places) * rowBytes);
      if (places == length)
        continue;
      int64_t rest = (length - places) * x.shape[2];
      CopyEnds ends;
      ends.from = constant({1}, x.dtype, std::vector<char>(elemBytes));
      ends.to = result(0).at(first + uint64_t(places) * rowBytes,
                             uint64_t(rest) * elemBytes);
      if (failed(appendCopy(*this, program, axesInto({rest}, {0}), ends)))
        return failure();
    }
  return success();
}
