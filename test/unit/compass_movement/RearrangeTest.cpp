//===- RearrangeTest.cpp - Layers that rearrange values -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Programs of layers on 16-bit elements 0, 1, 2, ..., against plain loops over
// the indices of the result.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/BoundProgram.h"
#include "dialects/compass/LayerKeys.h"
#include "test/Random.h"
#include "test/unit/compass_movement/OneLayer.h"
#include <gmock/gmock.h>
#include <numeric>

using namespace yarrow;
using namespace yarrow::compass;
using yarrow::testing::Random;
using Index = std::vector<int64_t>;

namespace {

std::string textOf(const Index &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}
std::string list(const std::string &key, const Index &values) {
  return key + " = array<i64: " + textOf(values) + ">";
}
std::string number(const std::string &key, int64_t value) {
  return key + " = " + std::to_string(value) + " : i64";
}
std::string rows(const std::string &key, const std::vector<Index> &values) {
  std::string text;
  for (const Index &row : values)
    text += (text.empty() ? "" : ", ") + ("array<i64: " + textOf(row) + ">");
  return key + " = [" + text + "]";
}

std::string typeOf(const Index &shape, const std::string &element = "i16") {
  std::string text;
  for (int64_t length : shape)
    text += std::to_string(length) + "x";
  return text + element;
}

int64_t flat(const Index &shape, const Index &at) {
  int64_t place = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    place = place * shape[i] + at[i];
  return place;
}

/// Calls fn(index) for every index of a tensor, the last axis fastest.
template <typename Fn> void forEachIndex(const Index &shape, Fn fn) {
  int64_t count = product(shape);
  Index at(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    fn(at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] != shape[d])
        break;
      at[d] = 0;
    }
  }
}

using Values = std::vector<int16_t>;
Values counted(const Index &shape) {
  Values values(product(shape));
  std::iota(values.begin(), values.end(), int16_t(1));
  return values;
}

/// The results of the last layer of \p net.
std::vector<Values> run(const Layers &net, const std::vector<Values> &inputs) {
  std::vector<Values> results;
  EXPECT_EQ(net.errors(), "");
  if (!net.layer() || !net.errors().empty())
    return results;
  auto bound = BoundProgram::create(net.layer());
  EXPECT_TRUE(succeeded(bound));
  std::vector<AlignedBuffer> in, out;
  std::vector<const char *> from;
  std::vector<char *> to;
  for (const Values &values : inputs) {
    in.push_back(AlignedBuffer::copyOf(
        {reinterpret_cast<const char *>(values.data()), values.size() * 2}));
    from.push_back(in.back().data());
  }
  for (mlir::Value result : net.layer()->getResults()) {
    out.emplace_back(size_t(describe(result).sizeBytes()));
    to.push_back(out.back().data());
  }
  bound->run(from, to);
  for (AlignedBuffer &buffer : out) {
    auto *values = reinterpret_cast<const int16_t *>(buffer.data());
    results.emplace_back(values, values + buffer.ref().size() / 2);
  }
  return results;
}

/// A layer with one input and one result: element \p at of the result is
/// element source(at) of the input, or 0 (-zp) if source(at) is empty.
void expectMoves(const std::string &name, const std::string &keys,
                 const Index &in, const Index &out,
                 llvm::function_ref<Index(const Index &)> source,
                 const std::string &element = "i16", int16_t fill = 0) {
  Layers net(
      layer(name, "{" + keys + "}", typeOf(in, element), typeOf(out, element)));
  Values x = counted(in), expected;
  forEachIndex(out, [&](const Index &at) {
    Index from = source(at);
    expected.push_back(from.empty() ? fill : x[flat(in, from)]);
  });
  std::vector<Values> found = run(net, {x});
  ASSERT_EQ(found.size(), 1u) << keys;
  EXPECT_EQ(found[0], expected) << name << " " << keys;
}

TEST(Tile, AnyRank) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    // Six axes that are all repeated are more than one copy has.
    bool isAll = round % 6 == 0;
    Index in, repeats, out;
    for (uint32_t d = isAll ? 6 : 1 + random.below(6); d > 0; --d) {
      in.push_back(isAll ? 2 : 1 + random.below(3));
      repeats.push_back(isAll ? 2 + int64_t(d == 1) : 1 + random.below(3));
      out.push_back(in.back() * repeats.back());
    }
    expectMoves("tile", list("repeats", repeats), in, out,
                [&](const Index &at) {
                  Index from(at);
                  for (size_t d = 0; d < from.size(); ++d)
                    from[d] %= in[d];
                  return from;
                });
  }
}

TEST(Crop, NegativeBoundsCountFromTheEnd) {
  expectMoves(
      "crop", rows("crops", {{-3, 4}, {0, -1}, {1, 9}}), {4, 5, 3}, {3, 4, 2},
      [](const Index &at) { return Index{at[0] + 1, at[1], at[2] + 1}; });
}

TEST(SpaceToDepth, BlocksOfAnySize) {
  for (auto [by, bx] : {std::pair(1, 1), std::pair(2, 3), std::pair(3, 1)}) {
    Index in = {2, 2 * by, 3 * bx, 5}, out = {2, 2, 3, 5 * by * bx};
    expectMoves("space_to_depth",
                number("block_size_x", bx) + ", " + number("block_size_y", by),
                in, out, [&](const Index &at) {
                  int64_t cell = at[3] / 5;
                  return Index{at[0], at[1] * by + cell / bx,
                               at[2] * bx + cell % bx, at[3] % 5};
                });
  }
}

TEST(DepthToSpace, BothOrders) {
  for (auto [by, bx] : {std::pair(1, 1), std::pair(2, 3), std::pair(3, 1)})
    for (const char *mode : {"DCR", "CRD"}) {
      Index in = {2, 3, 2, 4 * by * bx}, out = {2, 3 * by, 2 * bx, 4};
      expectMoves("depth_to_space",
                  number("block_size_x", bx) + ", " +
                      number("block_size_y", by) + ", mode = \"" + mode + "\"",
                  in, out, [&](const Index &at) {
                    int64_t cell = at[1] % by * bx + at[2] % bx;
                    int64_t k = mode[0] == 'D' ? cell * 4 + at[3]
                                               : at[3] * by * bx + cell;
                    return Index{at[0], at[1] / by, at[2] / bx, k};
                  });
    }
}

TEST(BatchToSpace, Crops) {
  Index in = {12, 3, 4, 2};
  for (bool isCropped : {false, true}) {
    Index out = isCropped ? Index{2, 3, 8, 2} : Index{2, 6, 12, 2};
    std::string crops = isCropped ? ", crop_left = 1 : i64, crop_right = 3 : "
                                    "i64, crop_top = 2 : i64, crop_bottom = 1 "
                                    ": i64"
                                  : "";
    int64_t top = isCropped ? 2 : 0, left = isCropped ? 1 : 0;
    expectMoves("batch_to_space",
                "block_size_x = 3 : i64, block_size_y = 2 : i64" + crops, in,
                out, [&](const Index &at) {
                  int64_t row = at[1] + top, column = at[2] + left;
                  return Index{(row % 2 * 3 + column % 3) * 2 + at[0], row / 2,
                               column / 3, at[3]};
                });
  }
}

TEST(BatchToSpaceND, AnyNumberOfAxes) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    bool isAll = round % 5 == 0; // more axes than one copy has
    uint32_t axes = isAll ? 4 : 1 + random.below(4);
    Index blocks, in = {1}, out = {isAll ? 3 : 1 + random.below(3)};
    std::vector<Index> crops;
    for (uint32_t d = 0; d < axes; ++d) {
      blocks.push_back(isAll ? 2 : 1 + random.below(3));
      in.push_back(isAll ? 2 : 1 + random.below(3));
      int64_t length = in.back() * blocks.back();
      int64_t before = random.below(uint32_t(length));
      int64_t after = random.below(uint32_t(length - before));
      if (random.oneIn(2))
        before = after = 0;
      crops.push_back({before, after});
      out.push_back(length - before - after);
    }
    in[0] = out[0] * product(blocks);
    if (random.oneIn(2) || isAll) {
      in.push_back(isAll ? 2 : 1 + random.below(3));
      out.push_back(in.back());
    }
    expectMoves("batch_to_space_nd",
                list("block_size", blocks) + ", " + rows("crops", crops), in,
                out, [&](const Index &at) {
                  Index from(at);
                  int64_t cell = 0;
                  for (uint32_t d = 0; d < axes; ++d) {
                    int64_t place = at[d + 1] + crops[d][0];
                    cell = cell * blocks[d] + place % blocks[d];
                    from[d + 1] = place / blocks[d];
                  }
                  from[0] = cell * out[0] + at[0];
                  return from;
                });
  }
}

TEST(SpaceToBatch, BorderIsARealZero) {
  for (bool isPadded : {false, true}) {
    int64_t top = isPadded ? 2 : 0, left = isPadded ? 1 : 0;
    Index in = {2, 4, 6, 2}, out = {12, isPadded ? 4 : 2, 3, 2};
    std::string keys = "block_size_x = 3 : i64, block_size_y = 2 : i64";
    if (isPadded) {
      keys += ", pad_top = 2 : i64, pad_bottom = 2 : i64, pad_left = 1 : i64, "
              "pad_right = 2 : i64";
      out[2] = 3;
    } else {
      out[2] = 2;
    }
    // MLIR's zero point 7 is Compass's -7, so a real 0 is stored as 7.
    expectMoves(
        "space_to_batch", keys, in, out,
        [&](const Index &at) {
          int64_t cell = at[0] / 2;
          int64_t row = at[1] * 2 + cell / 3 - top,
                  column = at[2] * 3 + cell % 3 - left;
          if (row < 0 || row >= 4 || column < 0 || column >= 6)
            return Index{};
          return Index{at[0] % 2, row, column, at[3]};
        },
        "!quant.uniform<i16:f32, 0.1:7>", 7);
  }
}

TEST(DataStride, WindowsMayOverlapOrLeaveOut) {
  for (auto [kernel, stride] :
       {std::pair(2, 3), std::pair(3, 2), std::pair(3, 3), std::pair(1, 2)}) {
    int64_t down = (9 - kernel) / stride + 1, right = (8 - 2) / 1 + 1;
    expectMoves("data_stride",
                number("kernel_y", kernel) + ", " + number("stride_y", stride) +
                    ", kernel_x = 2 : i64, stride_x = 1 : i64",
                {2, 9, 8, 3}, {2, down * kernel, right * 2, 3},
                [&](const Index &at) {
                  return Index{at[0], at[1] / kernel * stride + at[1] % kernel,
                               at[2] / 2 + at[2] % 2, at[3]};
                });
  }
}

/// Splits that hold whole groups, and splits that cut them.
TEST(ChannelShuffle, Splits) {
  for (auto [group, splits] :
       {std::pair(3, 1), std::pair(3, 2), std::pair(4, 6), std::pair(12, 12),
        std::pair(1, 4)}) {
    int64_t part = 12 / splits;
    std::string in = "tensor<2x3x12xi16>",
                out = "tensor<2x3x" + std::to_string(part) + "xi16>", types;
    for (int i = 0; i < splits; ++i)
      types += (i ? ", " : "") + out;
    Layers net("%x = compass.input() : () -> " + in + "\n%y:" +
               std::to_string(splits) + " = compass.channel_shuffle(%x) {" +
               number("group", group) + ", " + number("splits", splits) +
               "} : (" + in + ") -> (" + types + ")");
    Values x = counted({6, 12});
    std::vector<Values> found = run(net, {x});
    ASSERT_EQ(found.size(), size_t(splits));
    for (int64_t i = 0; i < splits; ++i)
      for (int64_t row = 0; row < 6; ++row)
        for (int64_t c = 0; c < part; ++c) {
          int64_t y = i * part + c;
          EXPECT_EQ(found[size_t(i)][size_t(row * part + c)],
                    x[size_t(row * 12 + y % group * (12 / group) + y / group)]);
        }
  }
}

TEST(Meshgrid, AnyNumberOfGrids) {
  const Index lengths = {2, 3, 4};
  for (bool isXy : {false, true})
    for (bool isSparse : {false, true}) {
      std::string text, names, ins, outs;
      std::vector<Index> shapes;
      std::vector<Values> inputs;
      for (size_t k = 0; k < 3; ++k) {
        std::string type = "tensor<" + typeOf({lengths[k]}) + ">";
        text += "%x" + std::to_string(k) +
                " = compass.input() {input_index = " + std::to_string(k) +
                " : i64} : () -> " + type + "\n";
        names += (k ? ", %x" : "%x") + std::to_string(k);
        ins += (k ? ", " : "") + type;
        Index shape(lengths);
        for (size_t i = 0; i < 3 && isSparse; ++i)
          shape[i] = i == k ? shape[i] : 1;
        if (isXy)
          std::swap(shape[0], shape[1]);
        shapes.push_back(shape);
        outs += (k ? ", tensor<" : "tensor<") + typeOf(shape) + ">";
        inputs.push_back(counted({lengths[k]}));
      }
      Layers net(text + "%y:3 = compass.meshgrid(" + names +
                 ") {indexing = \"" + (isXy ? "xy" : "ij") +
                 "\", sparse = " + (isSparse ? "true" : "false") + "} : (" +
                 ins + ") -> (" + outs + ")");
      std::vector<Values> found = run(net, inputs);
      ASSERT_EQ(found.size(), 3u);
      for (size_t k = 0; k < 3; ++k) {
        size_t axis = isXy && k < 2 ? 1 - k : k;
        Values expected;
        forEachIndex(shapes[k], [&](const Index &at) {
          expected.push_back(inputs[k][size_t(at[axis])]);
        });
        EXPECT_EQ(found[k], expected);
      }
    }
}

std::string twoInputs(const std::string &name, const std::string &keys,
                      const Index &in, const Index &second, const Index &out) {
  std::string x = "tensor<" + typeOf(in) + ">",
              n = "tensor<" + typeOf(second) + ">",
              y = "tensor<" + typeOf(out) + ">";
  return "%x = compass.input() : () -> " + x +
         "\n%n = compass.input() {input_index = 1 : i64} : () -> " + n +
         "\n%y = compass." + name + "(%x, %n) {" + keys + "} : (" + x + ", " +
         n + ") -> " + y;
}

TEST(Repeat, DataSaysHowOften) {
  // Capacity 7: two of the last slice are too many; then one too few.
  for (int64_t last : {5, 2}) {
    Values x = counted({2, 3, 2}), repeats = {1, 3, int16_t(last)}, expected;
    std::vector<Values> found =
        run(Layers(twoInputs("repeat", "axis = -2 : i64", {2, 3, 2}, {3},
                             {2, 7, 2})),
            {x, repeats});
    const int64_t sources[] = {0, 1, 1, 1, 2, 2, last == 5 ? 2 : -1};
    for (int64_t o : {0, 1})
      for (int64_t slice : sources)
        for (int64_t i : {0, 1})
          expected.push_back(slice < 0 ? int16_t(0)
                                       : x[size_t((o * 3 + slice) * 2 + i)]);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], expected);
  }
  // Without an axis X is flat.
  std::vector<Values> found =
      run(Layers(twoInputs("repeat", "", {2, 2}, {4}, {1, 5})),
          {counted({4}), {0, 2, 1, 2}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{2, 2, 3, 4, 4}));
}

TEST(Repeat, ConstantRepeatsAreACopy) {
  std::string x = "tensor<2x2xi16>";
  Layers net("%x = compass.input() : () -> " + x +
             "\n%n = compass.constant() {weights = dense<\"0x03000000\"> : "
             "tensor<1xi32>} : () -> tensor<1xi32>\n%y = compass.repeat(%x, "
             "%n) {axis = 1 : i64} : (" +
             x + ", tensor<1xi32>) -> tensor<2x6xi16>");
  std::vector<Values> found = run(net, {counted({4}), {3, 0}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}));
}

TEST(ReverseSequence, LengthsAreCut) {
  std::vector<Values> found =
      run(Layers(twoInputs("reverse_sequence",
                           "batch_axis = 0 : i64, time_axis = -1 : i64", {3, 4},
                           {3}, {3, 4})),
          {counted({12}), {2, 99, -1}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{2, 1, 3, 4, 8, 7, 6, 5, 9, 10, 11, 12}));
}

TEST(OverlapAdd, FramesAddUp) {
  std::string type = "!quant.uniform<i16:f32, 0.1:-2>"; // zp 2
  Layers net(layer("overlap_add",
                   "{frame_step = 2 : i64, scale_value = array<i64: 1>, "
                   "shift_value = array<i64: 0>}",
                   "2x3x4x" + type, "2x8x!quant.uniform<i16:f32, 0.1>"));
  Values x = counted({24}), expected(16);
  for (size_t o : {0, 1})
    for (size_t frame : {0, 1, 2})
      for (size_t i : {0, 1, 2, 3})
        expected[o * 8 + frame * 2 + i] += x[(o * 3 + frame) * 4 + i] + 2;
  std::vector<Values> found = run(net, {x});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], expected);
}

std::string col2im(const std::string &kernel, const std::string &windows) {
  std::string q = "!quant.uniform<i16:f32, 0.1>";
  return "%x = compass.input() : () -> tensor<1x12x" + windows + "x" + q +
         ">\n%i = compass.constant() {weights = dense<\"0x0400000005000000\"> "
         ": "
         "tensor<2xi32>} : () -> tensor<2xi32>\n" +
         kernel +
         "%y = compass.col2im(%x, %i, %k) {stride_y = 2 : i64, pad_left = 1 : "
         "i64, dilation_x = 2 : i64, scale_value = array<i64: 1>, shift_value "
         "= array<i64: 0>} : (tensor<1x12x" +
         windows + "x" + q +
         ">, tensor<2xi32>, tensor<2xi32>) -> tensor<1x2x4x5x" + q + ">";
}
const char *const constantKernel =
    "%k = compass.constant() {weights = dense<\"0x0200000003000000\"> : "
    "tensor<2xi32>} : () -> tensor<2xi32>\n";

TEST(Col2Im, WindowsAddUp) {
  // Rows: 2 windows of 2 with stride 2. Columns: 2 windows of 3, cells 2 apart.
  Layers net(col2im(constantKernel, "4"));
  Values x = counted({48}), expected(40);
  forEachIndex({2, 2, 3, 2, 2}, [&](const Index &at) {
    int64_t row = at[3] * 2 + at[1], column = at[4] + at[2] * 2 - 1;
    if (column >= 0 && column < 5)
      expected[size_t(flat({2, 4, 5}, {at[0], row, column}))] +=
          x[size_t(flat({2, 2, 3, 2, 2}, at))];
  });
  std::vector<Values> found = run(net, {x, {}, {}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], expected);
}

TEST(Col2Im, Errors) {
  EXPECT_THAT(errorsOf(col2im(constantKernel, "9")),
              ::testing::HasSubstr("found 9; expected 4"));
  EXPECT_THAT(errorsOf(col2im("%k = compass.input() {input_index = 1 : i64} : "
                              "() -> tensor<2xi32>\n",
                              "4")),
              ::testing::HasSubstr("known only at run time"));
}

} // namespace
