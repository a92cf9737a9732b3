//===- MovementTest.cpp - Concat, Split, Slice, Pad, Reshape, Transpose ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/movement/DataMovement.h"
#include "kernels/registry/Registry.h"
#include "test/unit/compass_movement/OneLayer.h"
#include <gmock/gmock.h>
#include <numeric>

using namespace yarrow;
using namespace yarrow::compass;
using kernels::CopyParams;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// Runs a layer's kernel on the bytes 0, 1, 2, ...
std::vector<uint8_t> run(const Layers &net, size_t inBytes, size_t outBytes,
                         uint32_t tasks) {
  std::vector<uint8_t> in(inBytes), out(outBytes, 0xee);
  std::iota(in.begin(), in.end(), uint8_t(0));
  void *buffers[] = {in.data(), out.data()};
  for (uint32_t task = 0; task < tasks; ++task)
    kernels::lookupKernel(net.kernel().symbol().str())(
        net.kernel().params().data(), buffers, task, tasks);
  return out;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(Copy, ReshapeIsOneRun) {
  Layers net(
      layer("reshape", "{shape = array<i64: 4, -1>}", "2x3x4xf32", "4x6xf32"));
  ASSERT_EQ(net.errors(), "");
  auto p = net.kernel().paramsAs<CopyParams>();
  EXPECT_EQ(p.rank, 1u);
  EXPECT_EQ(p.dims[0], 24u);
}
TEST(Copy, TransposeMergesNeighbours) {
  Layers net(layer("transpose", "{perm = array<i64: 0, 3, 1, 2>}", "1x5x6x7xi8",
                   "1x7x5x6xi8"));
  ASSERT_EQ(net.errors(), "");
  auto p = net.kernel().paramsAs<CopyParams>();
  EXPECT_EQ(p.rank, 2u); // [7, 30]
  EXPECT_EQ(p.dims[1], 30u);
  EXPECT_EQ(p.srcStride[1], 7);
}
TEST(Copy, BackwardSlice) {
  // A negative end with a negative step runs to index 0.
  Layers net(layer("slice",
                   "{begin = array<i64: -1>, end = array<i64: -7>, strides = "
                   "array<i64: -2>}",
                   "6xi8", "3xi8"));
  ASSERT_EQ(net.errors(), "");
  EXPECT_THAT(run(net, 6, 3, 1), ElementsAre(5, 3, 1));
  Layers part(layer("slice",
                    "{begin = array<i64: 9>, end = array<i64: 1>, strides = "
                    "array<i64: -1>}",
                    "6xi8", "4xi8"));
  ASSERT_EQ(part.errors(), "");
  EXPECT_THAT(run(part, 6, 4, 1), ElementsAre(5, 4, 3, 2));
}
TEST(Copy, SliceOfTwoAxes) {
  Layers net(layer("slice",
                   "{begin = array<i64: 1, 0>, end = array<i64: 3, -1>, "
                   "strides = array<i64: 1, 3>}",
                   "3x6xi8", "2x2xi8"));
  ASSERT_EQ(net.errors(), "");
  for (uint32_t tasks : {1u, 2u, 5u})
    EXPECT_THAT(run(net, 18, 4, tasks), ElementsAre(6, 9, 12, 15));
}
TEST(Copy, Errors) {
  EXPECT_THAT(
      errorsOf(layer("reshape", "{shape = array<i64: 5>}", "2x2xi8", "5xi8")),
      HasSubstr("found [5], 5 values; expected 4 values, from [2,2]"));
  EXPECT_THAT(
      errorsOf(layer("reshape", "{shape = array<i64: 4>}", "2x2xi8", "4xi16")),
      HasSubstr("found int16; expected int8"));
  EXPECT_THAT(errorsOf(layer("transpose", "{perm = array<i64: 0, 0>}", "2x2xi8",
                             "2x2xi8")),
              HasSubstr("found [0,0]; expected each of 0 to 1 once"));
  EXPECT_THAT(errorsOf(layer("slice",
                             "{begin = array<i64: 4>, end = array<i64: 2>, "
                             "strides = array<i64: 1>}",
                             "6xi8", "1xi8")),
              HasSubstr("begin and end select nothing on axis 0"));
  EXPECT_THAT(errorsOf(layer("slice",
                             "{begin = array<i64: 4>, end = array<i64: 6>, "
                             "strides = array<i64: 0>}",
                             "6xi8", "1xi8")),
              HasSubstr("found 0; expected 1 or more, or -1 or less"));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

std::string pad(const std::string &mode, int before, int after) {
  return layer("pad",
               "{mode = \"" + mode +
                   "\", constant_value = 9.0 : f64, pads = "
                   "[array<i64: " +
                   std::to_string(before) + ", " + std::to_string(after) +
                   ">]}",
               "3xi8", std::to_string(3 + before + after) + "xi8");
}
TEST(Pad, Modes) {
  EXPECT_THAT(run(Layers(pad("CONSTANT", 2, 1)), 3, 6, 1),
              ElementsAre(9, 9, 0, 1, 2, 9));
  EXPECT_THAT(run(Layers(pad("reflect", 2, 2)), 3, 7, 1),
              ElementsAre(2, 1, 0, 1, 2, 1, 0));
  EXPECT_THAT(run(Layers(pad("SYMMETRIC", 3, 1)), 3, 7, 1),
              ElementsAre(2, 1, 0, 0, 1, 2, 2));
  EXPECT_THAT(run(Layers(pad("WRAP", 3, 2)), 3, 8, 1),
              ElementsAre(0, 1, 2, 0, 1, 2, 0, 1));
}
TEST(Pad, Errors) {
  EXPECT_THAT(errorsOf(pad("REFLECT", 3, 0)),
              HasSubstr("out of range on axis 0; found 3; expected 0 to 2"));
  EXPECT_THAT(errorsOf(pad("EDGE", 1, 0)),
              HasSubstr("found EDGE; expected CONSTANT, REFLECT, SYMMETRIC, "
                        "WRAP"));
  EXPECT_THAT(errorsOf(layer("pad",
                             "{constant_value = 300 : i64, pads = [array<i64: "
                             "1, 0>]}",
                             "3xi8", "4xi8")),
              HasSubstr("found 300; expected -128 to 127 (int8)"));
  EXPECT_THAT(errorsOf(layer("pad", "{pads = []}", "3xi8", "4xi8")),
              HasSubstr("found 0 rows; expected 1 rows of 2"));
}

//===----------------------------------------------------------------------===//
// Split and Concat
//===----------------------------------------------------------------------===//

std::string split(const std::string &splits) {
  return "%x = compass.input() : () -> tensor<2x5xi16>\n"
         "%a, %b = compass.split(%x) {axis = -1 : i64, splits = array<i64: " +
         splits +
         ">} : (tensor<2x5xi16>) -> (tensor<2x2xi16>, tensor<2x3xi16>)";
}
TEST(Split, AnyNumberOfTasks) {
  Layers net(split("2, 3"));
  ASSERT_EQ(net.errors(), "");
  int16_t in[10];
  std::iota(in, in + 10, int16_t(0));
  for (uint32_t tasks = 1; tasks < 5; ++tasks) {
    int16_t a[4] = {}, b[6] = {};
    void *buffers[] = {in, a, b};
    for (uint32_t task = 0; task < tasks; ++task)
      kernels::lookupKernel("yk_split")(net.kernel().params().data(), buffers,
                                        task, tasks);
    EXPECT_THAT(a, ElementsAre(0, 1, 5, 6));
    EXPECT_THAT(b, ElementsAre(2, 3, 4, 7, 8, 9));
  }
}
TEST(Split, Errors) {
  EXPECT_THAT(errorsOf(split("2, 2")), HasSubstr("found 4; expected 5"));
  EXPECT_THAT(errorsOf(split("5")), HasSubstr("found 1; expected 2"));
}
TEST(Concat, Errors) {
  auto concat = [](const std::string &attributes, const std::string &second) {
    std::string t = "tensor<2x2x" + q8 + ">", u = "tensor<" + second + ">";
    return "%a = compass.input() : () -> " + t +
           "\n%b = compass.input() : () -> " + u +
           "\n%y = compass.concat(%a, %b) " + attributes + " : (" + t + ", " +
           u + ") -> tensor<2x4x" + q8 + ">";
  };
  EXPECT_EQ(errorsOf(concat("{axis = 1 : i64}", "2x2x" + q8)), "");
  EXPECT_THAT(errorsOf(concat("{axis = 2 : i64}", "2x2x" + q8)),
              HasSubstr("found 2; expected -2 to 1"));
  EXPECT_THAT(
      errorsOf(concat("{axis = 1 : i64}", "3x2x" + q8)),
      HasSubstr(
          "found [3,2]; expected [2,2], except for the length of axis 1"));
  EXPECT_THAT(errorsOf(concat("{axis = 1 : i64, scale_value = array<i64: 1>, "
                              "shift_value = array<i64: 0>}",
                              "2x2x" + q8)),
              HasSubstr("found 1; expected 2: one per input"));
  EXPECT_THAT(
      errorsOf(concat("{axis = 1 : i64}", "2x2xf32")),
      HasSubstr("input 1 and the result are not both floats or both integers; "
                "found float32; expected an integer type"));
}

} // namespace
