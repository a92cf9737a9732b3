//===- PoolTest.cpp - AveragePool against ONNX's definition ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/Imported.h"

using namespace yarrow;
using namespace yarrow::test;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {

/// Means over the windows of a row of cells, [1,1,length].
struct Row {
  int64_t length, kernel, stride, begin, end, dilation;
  bool ceil, countsPads;

  int64_t count() const {
    int64_t room = length + begin + end - (kernel - 1) * dilation - 1;
    int64_t n = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    // No window begins in the padding behind.
    return ceil && (n - 1) * stride >= length + begin ? n - 1 : n;
  }
  std::vector<float> means(const std::vector<float> &x) const {
    std::vector<float> y;
    for (int64_t o = 0; o < count(); ++o) {
      float sum = 0, cells = 0;
      for (int64_t k = 0; k < kernel; ++k) {
        int64_t at = o * stride + k * dilation - begin;
        bool isInput = at >= 0 && at < length,
             isPad = at >= -begin && at < length + end;
        sum += isInput ? x[size_t(at)] : 0;
        cells += isInput || (isPad && countsPads) ? 1 : 0;
      }
      y.push_back(sum / cells);
    }
    return y;
  }
};

} // namespace

/// Rows along each axis of signals, images and volumes: a window that ends
/// beyond the padding has as many cells as lie before its end.
TEST(AveragePool, RoundsUpAndCountsPads) {
  const Row rows[] = {
      {7, 3, 2, 1, 1, 1, true, true},  {7, 3, 2, 1, 1, 1, true, false},
      {8, 3, 2, 0, 0, 1, true, true},  {8, 4, 3, 2, 1, 1, true, true},
      {9, 3, 4, 1, 0, 2, true, true},  {6, 2, 3, 1, 1, 1, true, true},
      {7, 3, 2, 1, 1, 1, false, true}, {10, 2, 3, 0, 2, 1, true, true}};
  for (const Row &row : rows)
    for (size_t axes : {1, 2, 3})
      for (size_t along = 0; along < axes; ++along) {
        std::vector<int64_t> shape(axes + 2, 1), kernel(axes, 1),
            stride(axes, 1), dilation(axes, 1), pads(2 * axes, 0);
        shape[along + 2] = row.length, kernel[along] = row.kernel;
        stride[along] = row.stride, dilation[along] = row.dilation;
        pads[along] = row.begin, pads[along + axes] = row.end;
        Message node = nodeOf("AveragePool", {"x"}, {"y"});
        node.add(5, intsAttribute("kernel_shape", kernel))
            .add(5, intsAttribute("strides", stride))
            .add(5, intsAttribute("dilations", dilation))
            .add(5, intsAttribute("pads", pads))
            .add(5, intAttribute("ceil_mode", row.ceil))
            .add(5, intAttribute("count_include_pad", row.countsPads));
        Message graph;
        graph.add(1, node)
            .add(11, valueOf("x", shape))
            .add(12, valueOf("y", {}));
        Imported net(modelOf(graph, 19));
        ASSERT_TRUE(net.module);
        std::vector<float> x;
        for (int64_t i = 0; i < row.length; ++i)
          x.push_back(float((i * 7) % 11) - 3);
        EXPECT_THAT(net.run(x), Pointwise(FloatNear(1e-5f), row.means(x)))
            << axes << " axes, along " << along;
      }
}
