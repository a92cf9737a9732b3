//===- KernelNamesTest.cpp - The kernels that records name ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A record names the kernels that its operator's programs call, for those who
// have no layer to ask. Here programs are built of every layer of the
// repository's packs, and what they call is compared with what is named.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "kernels/Registry.h"
#include "mlir/Parser/Parser.h"
#include "test/conformance/Stages.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <map>

using namespace yarrow;
using namespace yarrow::compass;
using namespace yarrow::conformance;

namespace {

using Names = std::set<std::string>;
/// By operator and IR: "compass.pooling in integer IR".
using NamesOf = std::map<std::string, Names>;

std::string placeOf(const OperatorRecord &record, bool integer) {
  return record.opName.str() + (integer ? " in integer IR" : " in float IR");
}

void collect(mlir::ModuleOp module, NamesOf &called) {
  module.walk([&](CompassOp layer) {
    if (layer->hasTrait<trait::Source>())
      return;
    auto program = programOf(layer);
    ASSERT_TRUE(mlir::succeeded(program));
    Names &names = called[placeOf(*recordOf(layer), isIntegerLayer(layer))];
    for (const KernelCall &call : program->calls())
      names.insert(call.symbol().str());
  });
}

/// Operators and forms that no pack has. TABLE is a look-up table.
const char *const kOtherForms = R"(
  !q = !quant.uniform<i8:f32, 5.000000e-02>
  func.func @main() {
    %x = compass.input() : () -> tensor<1x4xf32>
    %0 = compass.quantize(%x) : (tensor<1x4xf32>) -> tensor<1x4x!q>
    %1 = compass.dequantize(%0) : (tensor<1x4x!q>) -> tensor<1x4xf32>
    %2 = compass.pow(%x) {exponent = 3.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %3 = compass.softmax(%0) {quantize_method = "FAST_EXP", input_scale_value = 5363 : i64, input_shift_value = 17 : i64, pow2_out_q = 27 : i64, adjust_q = 0 : i64} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %4 = compass.atan(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %5 = compass.atan(%0) {lut = TABLE} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %6 = compass.atanh(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %7 = compass.atanh(%0) {lut = TABLE} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %n = compass.input() {input_index = 1 : i64} : () -> tensor<1xi8>
    %8 = compass.if(%n, %x, %x) {then_branch = @all, else_branch = @half, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi8>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = compass.if(%n, %n, %n) {then_branch = @two, else_branch = @one, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
    %10:2 = compass.loop(%n, %n, %x) {body = @step, dependency_inputs_num = 1 : i64, scan_outputs_num = 1 : i64, loop_default_count = 2 : i64} : (tensor<1xi8>, tensor<1xi8>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<2x4xf32>)
    %11:2 = compass.loop(%n, %n, %n) {body = @count, dependency_inputs_num = 1 : i64, scan_outputs_num = 1 : i64, loop_default_count = 2 : i64} : (tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> (tensor<1xi8>, tensor<2x1xi8>)
    %p = compass.input() {input_index = 2 : i64} : () -> tensor<1x5x4x2x!q>
    %f = compass.dequantize(%p) : (tensor<1x5x4x2x!q>) -> tensor<1x5x4x2xf32>
    %even = compass.adaptive_pool(%p) {method = "MAX", output_size = array<i64: 1, 2>} : (tensor<1x5x4x2x!q>) -> tensor<1x1x2x2x!q>
    %uneven = compass.adaptive_pool(%p) {output_size = array<i64: 3, 2>} : (tensor<1x5x4x2x!q>) -> tensor<1x3x2x2x!q>
    %even_f = compass.adaptive_pool(%f) {output_size = array<i64: 1, 2>} : (tensor<1x5x4x2xf32>) -> tensor<1x1x2x2xf32>
    %uneven_f = compass.adaptive_pool(%f) {output_size = array<i64: 3, 2>} : (tensor<1x5x4x2xf32>) -> tensor<1x3x2x2xf32>
    %negative = compass.gemm(%0, %0) {trans_b = true, alpha = -1.0 : f64, scale_value = array<i64: 3>, shift_value = array<i64: 5>} : (tensor<1x4x!q>, tensor<1x4x!q>) -> tensor<1x1x!q>
    %a = compass.input() {input_index = 3 : i64} : () -> tensor<2x2xi8>
    %sums = compass.matmul_integer(%a, %a) : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
    %b = compass.input() {input_index = 4 : i64} : () -> tensor<1x4x4x2xi8>
    %windows = compass.conv_integer(%b) {weights = dense<[[[[1, 2]]], [[[3, 4]]]]> : tensor<2x1x1x2xi8>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
    %v = compass.fully_connected(%x) {weights = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>, biases = dense<[1.0]> : tensor<1xf32>} : (tensor<1x4xf32>) -> tensor<1x2xf32>
    return
  }
  func.func @all() -> tensor<1x4xf32> {
    %x = compass.input() : () -> tensor<1x4xf32>
    return %x : tensor<1x4xf32>
  }
  func.func @half() -> tensor<1x2xf32> {
    %x = compass.input() : () -> tensor<1x4xf32>
    %y = compass.slice(%x) {begin = array<i64: 0, 0>, end = array<i64: 1, 2>, strides = array<i64: 1, 1>} : (tensor<1x4xf32>) -> tensor<1x2xf32>
    return %y : tensor<1x2xf32>
  }
  func.func @one() -> tensor<1xi8> {
    %x = compass.input() : () -> tensor<1xi8>
    return %x : tensor<1xi8>
  }
  func.func @two() -> tensor<2xi8> {
    %x = compass.input() : () -> tensor<1xi8>
    %y = compass.concat(%x, %x) {axis = 0 : i64} : (tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
    return %y : tensor<2xi8>
  }
  func.func @step() -> (tensor<1xi8>, tensor<1x4xf32>, tensor<1x4xf32>) {
    %i = compass.input() : () -> tensor<1xi8>
    %c = compass.input() {input_index = 1 : i64} : () -> tensor<1xi8>
    %x = compass.input() {input_index = 2 : i64} : () -> tensor<1x4xf32>
    return %c, %x, %x : tensor<1xi8>, tensor<1x4xf32>, tensor<1x4xf32>
  }
  func.func @count() -> (tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) {
    %i = compass.input() : () -> tensor<1xi8>
    %c = compass.input() {input_index = 1 : i64} : () -> tensor<1xi8>
    %x = compass.input() {input_index = 2 : i64} : () -> tensor<1xi8>
    return %c, %x, %i : tensor<1xi8>, tensor<1xi8>, tensor<1xi8>
  })";

std::string otherForms() {
  std::string table, text = kOtherForms;
  for (int i = 0; i < 256; ++i)
    table += char(i);
  table = "dense<\"0x" + llvm::toHex(table) + "\"> : tensor<256xi8>";
  for (size_t at; (at = text.find("TABLE")) != std::string::npos;)
    text.replace(at, 5, table);
  return text;
}

TEST(KernelNames, AreThoseThatProgramsCall) {
  NamesOf called;
  std::vector<Pack> packs = findPacks(YARROW_TREE_PACKS);
  ASSERT_FALSE(packs.empty());
  for (const Pack &pack : packs)
    for (const char *ir : {"float", "int"}) {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      Outcome why;
      if (auto module = readPack(context, pack, ir, why))
        collect(*module, called);
    }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto others = mlir::parseSourceString<mlir::ModuleOp>(otherForms(), &context);
  ASSERT_TRUE(others);
  collect(*others, called);

  for (const OperatorRecord &record : allOperators())
    for (bool integer : {false, true}) {
      // No layer that reads or writes floats alone is one of integer IR.
      auto isFloat = [](llvm::ArrayRef<TensorRecord> tensors) {
        return !tensors.empty() && tensors[0].type == TensorClass::Float;
      };
      if (integer && (isFloat(record.inputs) || isFloat(record.outputs)))
        continue;
      Names named;
      for (llvm::StringRef kernel : record.kernels(integer))
        named.insert(kernel.str());
      std::string place = placeOf(record, integer);
      // Where a form is missing: one more pack, or a line above.
      EXPECT_EQ(named, called[place]) << place;
    }
}

TEST(KernelNames, AreOfKernels) {
  for (const OperatorRecord &record : allOperators())
    for (bool integer : {false, true}) {
      for (llvm::StringRef kernel : record.kernels(integer))
        EXPECT_TRUE(kernels::findKernel(kernel)) << kernel.str();
      // What is not computed calls nothing.
      EXPECT_TRUE(isComputed(record.computedIn, integer) ||
                  record.kernels(integer).empty())
          << placeOf(record, integer);
    }
}

} // namespace
