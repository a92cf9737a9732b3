//===- ResizeAxesTest.cpp - One axis of an image after the other ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prepare/ResizeAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

class Resized : public TestNetwork {
public:
  /// An image of 7 x 9 pixels.
  Resized(int64_t height, int64_t width, const std::string &keys)
      : TestNetwork(text(height, width, keys)) {
    recordLayerIds(*module);
    splitResizes(*module);
    module->walk([&](ResizeOp op) { layers.push_back(op); });
  }
  std::string sizeOf(std::size_t layer) {
    auto shape = describe(layers[layer]->getResult(0)).shape;
    return std::to_string(shape[1]) + "x" + std::to_string(shape[2]);
  }
  std::vector<ResizeOp> layers;

private:
  static std::string text(int64_t height, int64_t width,
                          const std::string &keys) {
    std::string image = "tensor<1x" + std::to_string(height) + "x" +
                        std::to_string(width) + "x3xf32>";
    return "func.func @main() -> " + image +
           " {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> "
           "tensor<1x7x9x3xf32>\n"
           "  %y = compass.resize(%x) {compass.tops = [\"y\"], size = "
           "array<i64: 1, " +
           std::to_string(height) + ", " + std::to_string(width) + ", 3>, " +
           keys + "} : (tensor<1x7x9x3xf32>) -> " + image +
           " loc(\"resize\")\n  return %y : " + image + "\n}\n";
  }
};

constexpr const char *kAligned =
    "method = \"BILINEAR\", mode = \"ALIGN_CORNERS\"";

TEST(ResizeAxes, BothAxesGiveTheImage) {
  Resized net(16, 23, kAligned);
  ASSERT_EQ(net.layers.size(), 2u);
  EXPECT_EQ(net.sizeOf(0), "16x9"); // fewer values than 7 x 23
  EXPECT_EQ(net.sizeOf(1), "16x23");
  EXPECT_EQ(layerNameOf(net.layers[0]), "resize_first");
  EXPECT_EQ(layerNameOf(net.layers[1]), "resize");
  EXPECT_EQ(tensorNameOf(net.layers[1]->getResult(0)), "y");
  EXPECT_GT(net.similarity({normalSamples({4, 7, 9, 3})}).sqnrDb(), 120);
  // Rules for the layer mean both.
  EXPECT_EQ(net.layers[0]->getAttr(kLayerIdAttr),
            net.layers[1]->getAttr(kLayerIdAttr));
}

TEST(ResizeAxes, TheAxisThatLeavesLessIsFirst) {
  Resized net(4, 23, kAligned);
  EXPECT_EQ(net.layers.size(), 1u) << "four rows are a command each";
  Resized shorter(8, 40, "method = \"BILINEAR\", mode = \"HALF_PIXEL\"");
  ASSERT_EQ(shorter.layers.size(), 2u);
  EXPECT_EQ(shorter.sizeOf(0), "8x9");
  Resized wider(30, 8, "method = \"BILINEAR\", mode = \"HALF_PIXEL\"");
  ASSERT_EQ(wider.layers.size(), 2u);
  EXPECT_EQ(wider.sizeOf(0), "7x8");
}

TEST(ResizeAxes, OthersStay) {
  for (const char *keys :
       {"method = \"NEAREST\", mode = \"ALIGN_CORNERS\"",
        "method = \"BILINEAR\", mode = \"TF_HALF_PIXEL_FOR_NN\"",
        "method = \"BILINEAR\", mode = \"ALIGN_CORNERS\", antialias = true"})
    EXPECT_EQ(Resized(16, 23, keys).layers.size(), 1u) << keys;
  // Of twice the size there are two kinds of rows.
  EXPECT_EQ(Resized(14, 18, "method = \"BILINEAR\", mode = \"HALF_PIXEL\"")
                .layers.size(),
            1u);
  EXPECT_EQ(Resized(7, 23, kAligned).layers.size(), 1u) << "one axis alone";
}

} // namespace
