//===- InferTypesTest.cpp - Layers built without result types -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For every operator that computes: what its operands and keys imply is the
// type with which it is read.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <gmock/gmock.h>
#include <numeric>
#include <set>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using ::testing::HasSubstr;

namespace {

/// A network of layers, and what is reported from then on.
class InferTypes : public ::testing::Test {
protected:
  InferTypes()
      : handler(context(), [this](mlir::Diagnostic &diag) {
          messages += diag.str() + "\n";
          return success();
        }) {}

  MLIRContext *context() {
    if (!owned) {
      DialectRegistry registry;
      registerDialects(registry);
      owned = std::make_unique<MLIRContext>(registry);
      owned->loadAllAvailableDialects();
    }
    return owned.get();
  }

  Block *parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "!u8 = !quant.uniform<u8:f32, 5.000000e-02>\n"
        "!i8 = !quant.uniform<i8:f32, 2.000000e-02:-5>\n"
        "func.func @main() {\n" +
            body + "\nreturn\n}",
        context());
    return module
               ? &module->lookupSymbol<func::FuncOp>("main").getBody().front()
               : nullptr;
  }

  /// What the layer's operands and keys imply.
  FailureOr<SmallVector<Type>> inferred(Operation *op, Type element) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(op->getOperands());
    state.addAttributes(op->getAttrs());
    return inferResultTypes(state, element);
  }

  std::string messages;

private:
  std::unique_ptr<MLIRContext> owned;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

Type elementOfFirst(ValueRange values) {
  return cast<RankedTensorType>(values.front().getType()).getElementType();
}

/// Replaces "RAMP2x3" by a constant of that shape, 0, 1, 2 ... in bytes: one
/// that holds a value repeatedly would be stored without its data.
std::string withConstants(llvm::StringRef text) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split("RAMP");
    result += before;
    if (rest.empty())
      return result;
    llvm::StringRef shape =
        rest.take_while([](char c) { return llvm::isDigit(c) || c == 'x'; });
    llvm::SmallVector<llvm::StringRef> lengths;
    shape.split(lengths, 'x');
    int64_t count = 1, length = 0;
    for (llvm::StringRef l : lengths)
      count *= l.getAsInteger(10, length) ? 0 : length;
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    llvm::StringRef bytes(reinterpret_cast<const char *>(values.data()),
                          values.size() * sizeof(float));
    result += "dense<\"0x" + llvm::toHex(bytes) + "\"> : tensor<" +
              shape.str() + "xf32>";
    text = rest.drop_front(shape.size());
  }
}

/// One layer or more of every operator that has a kernel, but for the functions
/// of one value, which follow.
const char *const kLayers = R"(
  %x = compass.input() : () -> tensor<1x4x4x2xf32>
  %m = compass.input() {input_index = 1 : i64} : () -> tensor<3x8xf32>
  %q = compass.input() {input_index = 2 : i64} : () -> tensor<1x4x4x2x!u8>
  %k = compass.constant() {weights = RAMP2} : () -> tensor<2xf32>
  %0 = compass.convolution(%x) {kernel_x = 3 : i64, kernel_y = 2 : i64, num_output = 5 : i64, stride_x = 1 : i64, pad_left = 1 : i64, weights = RAMP5x2x3x2, biases = RAMP5} : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x5xf32>
  %1 = compass.depthwise_conv(%x) {kernel_x = 3 : i64, kernel_y = 3 : i64, num_output = 2 : i64, weights = RAMP2x3x3x1, biases = RAMP2} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  %2 = compass.fully_connected(%m) {num_output = 4 : i64, weights = RAMP4x8, biases = RAMP4} : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %3 = compass.matmul(%m, %m) {trans_b = true} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %v = compass.input() {input_index = 3 : i64} : () -> tensor<1x2x4x4x2xf32>
  %i = compass.input() {input_index = 4 : i64} : () -> tensor<1x4x4x2xi8>
  %n = compass.input() {input_index = 5 : i64} : () -> tensor<2x2xi8>
  %conv_transpose = compass.conv_transpose(%x) {stride_x = 2 : i64, weights = RAMP3x2x2x2, biases = RAMP3} : (tensor<1x4x4x2xf32>) -> tensor<1x5x8x3xf32>
  %convolution_3d = compass.convolution_3d(%v) {weights = RAMP3x2x2x2x2, biases = RAMP3} : (tensor<1x2x4x4x2xf32>) -> tensor<1x1x3x3x3xf32>
  %conv_transpose_3d = compass.conv_transpose_3d(%v) {weights = RAMP3x2x2x2x2, biases = RAMP3} : (tensor<1x2x4x4x2xf32>) -> tensor<1x3x5x5x3xf32>
  %conv_integer = compass.conv_integer(%i) {weights = dense<[[[[1, 2]]], [[[3, 4]]]]> : tensor<2x1x1x2xi8>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %matmul_integer = compass.matmul_integer(%n, %n) : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
  %gemm = compass.gemm(%m, %m) {trans_b = true} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %dilation = compass.dilation(%x) {kernel_x = 2 : i64, kernel_y = 2 : i64, weights = RAMP2x2x2x1} : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  %erosion = compass.erosion(%x) {kernel_x = 2 : i64, kernel_y = 2 : i64, weights = RAMP2x2x2x1} : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  %pooling_3d = compass.pooling_3d(%v) {kernel_x = 2 : i64, kernel_y = 2 : i64, kernel_z = 2 : i64} : (tensor<1x2x4x4x2xf32>) -> tensor<1x1x3x3x2xf32>
  %adaptive_pool = compass.adaptive_pool(%x) {output_size = array<i64: 3, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x3x2x2xf32>
  %4 = compass.pooling(%x) {method = "AVG", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  %5 = compass.eltwise(%x, %k) {method = "MAX"} : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %6 = compass.add(%k, %x) : (tensor<2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %7 = compass.sub(%x, %x) : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %8 = compass.mul(%x, %k) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %whole = compass.input() {input_index = 3 : i64} : () -> tensor<1x4x4x2xi32>
  %quotient = compass.div(%x, %k) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %distance = compass.squared_difference(%x, %k) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %rests:2 = compass.div_mod(%whole, %whole) : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>)
  %biased = compass.bias_add(%x) {biases = RAMP2} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %bits = compass.bitwise(%whole) {method = "NOT"} : (tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %shifted = compass.bit_shift(%whole, %whole) {direction = "RIGHT"} : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %less = compass.logical(%x, %k) {method = "LESS"} : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xui8>
  %infinite = compass.is_inf(%x) : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xui8>
  %none = compass.is_nan(%x) : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xui8>
  %sums = compass.cumulate(%x) {axis = 1 : i64} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %bins = compass.count(%x) {max = 9.0 : f64, min = 0.0 : f64, nbins = 3 : i64} : (tensor<1x4x4x2xf32>) -> tensor<1x3xi32>
  %zeros = compass.zero_fraction(%x) : (tensor<1x4x4x2xf32>) -> tensor<1xf32>
  %grid = compass.fake_quant_with_min_max_vars(%x) {max = 9.0 : f64, min = -1.0 : f64} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %9 = compass.batch_norm(%x) {weights = RAMP2, biases = RAMP2} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %10 = compass.layer_norm(%m) {axis = array<i64: 1>, weights = RAMP8, biases = RAMP8} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %11 = compass.softmax(%m) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %groups = compass.group_norm(%x) {group = 2 : i64, weights = RAMP2, biases = RAMP2} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %instances = compass.instance_norm(%x) {weights = RAMP2, biases = RAMP2} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %rms = compass.rms_norm(%m) {axis = array<i64: 1>} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %mvn = compass.mvn(%m) {axis = array<i64: 0>} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %l1 = compass.normalization(%m) {method = "L1", axis = array<i64: 0>} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %lrn = compass.lrn(%x) {size = 3 : i64} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %logs = compass.log_softmax(%m) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %12 = compass.concat(%x, %x) {axis = 3 : i64} : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x4xf32>
  %13:2 = compass.split(%m) {axis = 1 : i64, splits = array<i64: 3, 5>} : (tensor<3x8xf32>) -> (tensor<3x3xf32>, tensor<3x5xf32>)
  %14 = compass.slice(%q) {begin = array<i64: 0, 1, 0, 0>, end = array<i64: 1, 4, 4, 2>, strides = array<i64: 1, 2, 1, 1>} : (tensor<1x4x4x2x!u8>) -> tensor<1x2x4x2x!u8>
  %15 = compass.pad(%q) {pads = [array<i64: 0, 0>, array<i64: 1, 0>, array<i64: 0, 2>, array<i64: 0, 0>]} : (tensor<1x4x4x2x!u8>) -> tensor<1x5x6x2x!u8>
  %16 = compass.reshape(%q) {shape = array<i64: -1, 8>} : (tensor<1x4x4x2x!u8>) -> tensor<4x8x!u8>
  %17 = compass.transpose(%q) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x2x!u8>) -> tensor<1x2x4x4x!u8>
  %tile = compass.tile(%q) {repeats = array<i64: 1, 2, 1, 3>} : (tensor<1x4x4x2x!u8>) -> tensor<1x8x4x6x!u8>
  %crop = compass.crop(%q) {crops = [array<i64: 0, 1>, array<i64: 1, -1>, array<i64: 0, 4>, array<i64: 0, 2>]} : (tensor<1x4x4x2x!u8>) -> tensor<1x2x4x2x!u8>
  %batch = compass.space_to_batch(%q) {block_size_x = 2 : i64, block_size_y = 2 : i64, pad_top = 2 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<4x3x2x2x!u8>
  %space = compass.batch_to_space(%batch) {block_size_x = 2 : i64, block_size_y = 2 : i64, crop_top = 2 : i64} : (tensor<4x3x2x2x!u8>) -> tensor<1x4x4x2x!u8>
  %spacend = compass.batch_to_space_nd(%batch) {block_size = array<i64: 4>} : (tensor<4x3x2x2x!u8>) -> tensor<1x12x2x2x!u8>
  %depth = compass.space_to_depth(%q) {block_size_x = 2 : i64, block_size_y = 1 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x2x4x!u8>
  %wide = compass.depth_to_space(%depth) {block_size_x = 2 : i64, block_size_y = 1 : i64} : (tensor<1x4x2x4x!u8>) -> tensor<1x4x4x2x!u8>
  %shuffle:2 = compass.channel_shuffle(%depth) {group = 2 : i64, splits = 2 : i64} : (tensor<1x4x2x4x!u8>) -> (tensor<1x4x2x2x!u8>, tensor<1x4x2x2x!u8>)
  %windows = compass.data_stride(%q) {kernel_x = 2 : i64, kernel_y = 3 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x6x6x2x!u8>
  %lengths = compass.input() {input_index = 3 : i64} : () -> tensor<4xi32>
  %reverse = compass.reverse_sequence(%q, %lengths) {batch_axis = 1 : i64, time_axis = 2 : i64} : (tensor<1x4x4x2x!u8>, tensor<4xi32>) -> tensor<1x4x4x2x!u8>
  %two = compass.input() {input_index = 6 : i64} : () -> tensor<2xi32>
  %three = compass.input() {input_index = 7 : i64} : () -> tensor<3xi32>
  %place = compass.input() {input_index = 8 : i64} : () -> tensor<1x2xi32>
  %row = compass.input() {input_index = 9 : i64} : () -> tensor<1x1xi32>
  %update = compass.input() {input_index = 10 : i64} : () -> tensor<1x8xf32>
  %each = compass.input() {input_index = 11 : i64} : () -> tensor<3x8xi32>
  %heads = compass.input() {input_index = 12 : i64} : () -> tensor<1x2x3x4xf32>
  %angles = compass.input() {input_index = 13 : i64} : () -> tensor<3x2xf32>
  %greatest = compass.arg_min_max(%m) {axis = 1 : i64} : (tensor<3x8xf32>) -> tensor<3x1xi32>
  %rows = compass.gather(%m, %two) {axis = 0 : i64} : (tensor<3x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  %elements = compass.gather_elements(%m, %each) {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3x8xi32>) -> tensor<3x8xf32>
  %places = compass.gather_nd(%m, %place) : (tensor<3x8xf32>, tensor<1x2xi32>) -> tensor<1xf32>
  %hits = compass.in_top_k(%m, %three) {k = 2 : i64} : (tensor<3x8xf32>, tensor<3xi32>) -> tensor<3xui8>
  %hot = compass.one_hot(%two) {depth = 3 : i64} : (tensor<2xi32>) -> tensor<2x3xf32>
  %turned = compass.rotary_embedding(%heads, %angles, %angles) : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x4xf32>
  %scattered = compass.scatter_elements(%m, %each, %m) {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3x8xi32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %replaced = compass.scatter_nd(%m, %row, %update) : (tensor<3x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<3x8xf32>
  %axes = compass.shape(%m) : (tensor<3x8xf32>) -> tensor<2xi32>
  %slots = compass.slot_update(%heads, %three, %three) : (tensor<1x2x3x4xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x3x4xf32>
  %chosen = compass.where(%each, %m, %m) : (tensor<3x8xi32>, tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %18 = compass.reduce(%x) {axis = array<i64: 1, 2>, method = "SUM"} : (tensor<1x4x4x2xf32>) -> tensor<1x1x1x2xf32>
  %19 = compass.cast(%x) {to_dtype = "float16"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf16>
  %20 = compass.quantize(%x) : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!u8>
  %21 = compass.dequantize(%q) : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2xf32>
  %22 = compass.resize(%x) {size = array<i64: 1, 8, 6, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x8x6x2xf32>
  %23 = compass.activation(%x) {method = "RELU"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %24 = compass.pow(%x, %k) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %25 = compass.eltwise(%q, %q) {scale_value = array<i64: 1, 1, 160>, shift_value = array<i64: 6>} : (tensor<1x4x4x2x!u8>, tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!i8>
  %26 = compass.mod(%q, %q) {fmod = true, scale_value = array<i64: 3, 3>, shift_value = array<i64: 1, 1>} : (tensor<1x4x4x2x!u8>, tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8>
  %27 = compass.pooling(%q) {kernel_x = 3 : i64, kernel_y = 3 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x2x2x2x!u8>
)";

TEST_F(InferTypes, isTheTypeThatIsRead) {
  std::string body = withConstants(kLayers);
  std::set<std::string> seen = {"compass.input"}; // the caller's choice
  for (const OperatorRecord &record : allOperators()) {
    RegisteredOperationName name =
        *RegisteredOperationName::lookup(record.opName, context());
    if (record.computedIn != ComputedIn::None &&
        name.hasTrait<trait::InPlace>() && record.methods.empty() &&
        record.inputs.size() == 1)
      body += "  %" + record.layerType.lower() + " = " + record.opName.str() +
              "(%x) : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>\n";
  }
  Block *block = parse(body);
  ASSERT_TRUE(block) << messages;
  for (Operation &op : *block) {
    const OperatorRecord *record = recordOf(&op);
    if (!record || record->resultTypes == ResultTypes::Declared)
      continue;
    // The caller gives the element type only where it is a choice.
    bool isChoice = record->resultTypes == ResultTypes::Given ||
                    (record->resultTypes == ResultTypes::Chosen &&
                     !isa<FloatType>(elementOfFirst(op.getOperands())));
    auto types =
        inferred(&op, isChoice ? elementOfFirst(op.getResults()) : Type());
    ASSERT_TRUE(succeeded(types)) << record->opName.str() << messages;
    EXPECT_EQ(TypeRange(*types), op.getResultTypes()) << record->opName.str();
    if (isChoice)
      EXPECT_TRUE(failed(inferred(&op, {}))) << record->opName.str();
    seen.insert(record->opName.str());
  }
  for (const OperatorRecord &record : allOperators())
    EXPECT_TRUE(record.computedIn == ComputedIn::None ||
                record.resultTypes == ResultTypes::Declared ||
                seen.count(record.opName.str()))
        << "no layer of " << record.opName.str();
}

TEST_F(InferTypes, buildersNeedNoTypes) {
  Block *block = parse("%x = compass.input() : () -> tensor<1x4x4x2x!u8>\n"
                       "%y = compass.input() {input_index = 1 : i64} : () -> "
                       "tensor<1x4x4x2x!i8>");
  ASSERT_TRUE(block) << messages;
  OpBuilder b(block->getTerminator());
  Value x = block->front().getResult(0),
        y = std::next(block->begin())->getResult(0);
  auto moved = TransposeOp::create(
      b, b.getUnknownLoc(), x,
      b.getNamedAttr("perm", b.getDenseI64ArrayAttr({0, 3, 1, 2})));
  EXPECT_EQ(moved.getX(), x);
  EXPECT_EQ(moved.getY().getType(),
            RankedTensorType::get({1, 2, 4, 4}, elementOfFirst(x)));
  NamedAttribute scales[] = {
      b.getNamedAttr("scale_value", b.getDenseI64ArrayAttr({1, 1, 160})),
      b.getNamedAttr("shift_value", b.getDenseI64ArrayAttr({6}))};
  auto sum = AddOp::create(b, b.getUnknownLoc(), ValueRange{x, x}, scales,
                           elementOfFirst(y));
  EXPECT_EQ(sum.getY().getType(), y.getType());
  EXPECT_TRUE(succeeded(verify(moved)) && succeeded(verify(sum))) << messages;
}

TEST_F(InferTypes, aWrongLayerIsReportedOnce) {
  Block *block = parse("%x = compass.input() : () -> tensor<2x3xf32>\n"
                       "%y = compass.input() {input_index = 1 : i64} : () -> "
                       "tensor<2x4xf32>");
  ASSERT_TRUE(block) << messages;
  OpBuilder b(block->getTerminator());
  auto sum = AddOp::create(b, b.getUnknownLoc(),
                           ValueRange{block->front().getResult(0),
                                      std::next(block->begin())->getResult(0)});
  EXPECT_THAT(messages, HasSubstr("shapes [2,3] and [2,4] do not broadcast"));
  EXPECT_EQ(llvm::StringRef(messages).count('\n'), 1u) << messages;
  EXPECT_TRUE(failed(verify(sum))); // nothing takes it for a layer
}

TEST_F(InferTypes, mlirAsksTheSame) {
  Block *block = parse("%x = compass.input() : () -> tensor<2x3xf16>\n"
                       "%y = compass.exp(%x) : (tensor<2x3xf16>) -> "
                       "tensor<2x3xf16>");
  ASSERT_TRUE(block) << messages;
  Operation *exp = &*std::next(block->begin());
  SmallVector<ShapedTypeComponents> components;
  ASSERT_TRUE(
      succeeded(cast<InferShapedTypeOpInterface>(exp).inferReturnTypeComponents(
          context(), exp->getLoc(), exp->getOperands(),
          exp->getDiscardableAttrDictionary(), exp->getPropertiesStorage(), {},
          components)));
  ASSERT_EQ(components.size(), 1u);
  EXPECT_EQ(llvm::ArrayRef(components[0].getDims()),
            llvm::ArrayRef<int64_t>({2, 3}));
  EXPECT_TRUE(components[0].getElementType().isF16());
}

} // namespace
