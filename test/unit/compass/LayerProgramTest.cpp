//===- LayerProgramTest.cpp - Calls, bindings and their signatures --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerProgram.h"
#include "kernels/convert/Convert.h"
#include "kernels/movement/DataMovement.h"
#include "kernels/pool/Pool.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;
using Kind = BufferBinding::Kind;

namespace {

TEST(LayerProgram, BindsBuffersByName) {
  LayerProgram program;
  KernelCall &call = program.call<kernels::PoolInt>({});
  call["output"] = result(0);
  call["input"] = operand(2);
  ASSERT_EQ(call.bindings().size(), 2u);
  EXPECT_EQ(call.bindings()[0].kind, Kind::Operand);
  EXPECT_EQ(call.bindings()[0].index, 2u);
  EXPECT_EQ(call.bindings()[1].kind, Kind::Result);
  EXPECT_TRUE(call.is<kernels::PoolInt>());
  EXPECT_FALSE(call.is<kernels::PoolFloat>());
  EXPECT_FALSE(call.has("weights"));
  EXPECT_EQ(program.single(), &call);
}

TEST(LayerProgram, PutsManyBuffersWhereTheSignatureHasThem) {
  // Concat has its inputs before the output, Split its outputs behind the
  // input.
  LayerProgram program;
  KernelCall &concat = program.call<kernels::Concat>({});
  concat["output"] = result(0);
  for (unsigned i = 0; i < 3; ++i)
    concat.append("inputs", operand(i));
  ASSERT_EQ(concat.bindings().size(), 4u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(concat.bindings()[i].index, i);
    EXPECT_EQ(concat.bufferOf(i).name, "inputs");
  }
  EXPECT_EQ(concat["output"].kind, Kind::Result);
  EXPECT_TRUE(concat.bufferOf(3).isOutput);

  KernelCall &split = program.call<kernels::Split>({});
  split["input"] = operand(0);
  split.append("outputs", result(0));
  split.append("outputs", result(1));
  ASSERT_EQ(split.bindings().size(), 3u);
  EXPECT_EQ(split.bindings()[0].kind, Kind::Operand);
  EXPECT_EQ(split.bindings()[2].index, 1u);
  EXPECT_EQ(split.bufferOf(2).name, "outputs");
  EXPECT_EQ(program.single(), nullptr);
}

TEST(LayerProgram, NamesValuesBetweenKernels) {
  LayerProgram program;
  TensorInfo info;
  info.dtype = DType::I16;
  info.shape = {2, 8};
  BufferBinding first = program.intermediate("gates", info, 0),
                second = program.intermediate("gates", info, 1);
  EXPECT_EQ(first.kind, Kind::Intermediate);
  EXPECT_NE(first.index, second.index);
  EXPECT_EQ(program.intermediates()[second.index].step, 1u);
  EXPECT_EQ(sizeBytesOf(nullptr, program, first), 32u);
  BufferBinding part = second.at(/*offsetBytes=*/4, /*sizeBytes=*/6);
  EXPECT_EQ(part.index, second.index);
  EXPECT_EQ(sizeBytesOf(nullptr, program, part), 6u);
}

TEST(LayerProgram, IsNotStraightWhereItDecides) {
  LayerProgram program;
  program.when(
      {operand(0), /*sizeBytes=*/1},
      [&] { program.call<kernels::PoolInt>({}); }, [] {});
  EXPECT_EQ(program.items().size(), 1u);
  EXPECT_EQ(program.calls().size(), 1u);
  EXPECT_FALSE(program.isStraight());
  EXPECT_EQ(program.single(), nullptr);

  LayerProgram graph;
  graph.call(GraphCall{});
  EXPECT_FALSE(graph.isStraight());
}

} // namespace
