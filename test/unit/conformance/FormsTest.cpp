//===- FormsTest.cpp - Layers of other shapes and types -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every layer of the repository's packs alone, with other shapes of what it
// reads (a dimension that is 0, 1 or another, more axes, fewer, none) or in
// another float type. Each such network either is refused with a code or gives
// the same bytes on the host and on the NPU, whose machines differ in their
// number of TECs; nothing crashes and nothing hangs.
//
// One form in five is taken. YARROW_FORMS=<text> takes all forms of the
// operators whose name has the text, and says what becomes of each.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Execution.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Verify.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "support/diagnostics/Operators.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"
#include "test/conformance/Stages.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <map>

using namespace yarrow;
using namespace yarrow::compass;
using namespace yarrow::conformance;
using yarrow::testing::Random;

namespace {

using Shape = llvm::SmallVector<int64_t>;

/// Another form of a layer: what becomes of the shapes that it reads, and of
/// its floats.
struct Form {
  std::string name;
  std::function<Shape(Shape)> shape = [](Shape s) { return s; };
  std::optional<DType> floats = {};
};

Form replaced(int64_t from, int64_t to) {
  return {"every " + std::to_string(from) + " as " + std::to_string(to),
          [=](Shape s) {
            llvm::replace(s, from, to);
            return s;
          }};
}

/// \p count more axes in front, of length 1 or of another.
Form raised(size_t count, int64_t length) {
  return {std::to_string(count) + " axes of " + std::to_string(length) +
              " in front",
          [=](Shape s) {
            s.insert(s.begin(), count, length);
            return s;
          }};
}

std::vector<Form> formsOf(mlir::Operation *op) {
  std::vector<Form> forms = {{"as it is"}};
  std::set<int64_t> lengths;
  size_t rank = 0;
  bool hasFloats = false;
  for (mlir::Value v : op->getOperands()) {
    TensorInfo info = describe(v);
    lengths.insert(info.shape.begin(), info.shape.end());
    rank = std::max(rank, info.shape.size());
    hasFloats |= info.isFloat();
  }
  for (mlir::Value v : op->getResults())
    hasFloats |= describe(v).isFloat();
  for (int64_t length : lengths)
    for (int64_t other : {int64_t(0), int64_t(1), length + 1})
      if (other != length)
        forms.push_back(replaced(length, other));
  forms.push_back({"without axes", [](const Shape &) { return Shape(); }});
  forms.push_back(
      {"of one axis", [](const Shape &s) { return Shape{product(s)}; }});
  forms.push_back({"without the first axis", [](Shape s) {
                     return Shape(llvm::drop_begin(s, s.empty() ? 0 : 1));
                   }});
  if (rank < 6) {
    forms.push_back(raised(1, 1));
    forms.push_back(raised(6 - rank, 2));
    forms.push_back(raised(1, 0));
  }
  if (hasFloats)
    for (DType type : {DType::F16, DType::BF16})
      forms.push_back(
          {"in " + dtypeName(type).str(), [](Shape s) { return s; }, type});
  return forms;
}

mlir::RankedTensorType typeIn(const Form &form, mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  mlir::Type element = tensor.getElementType();
  if (form.floats && describe(tensor).isFloat())
    element = elementType(type.getContext(), *form.floats);
  return mlir::RankedTensorType::get(form.shape(Shape(tensor.getShape())),
                                     element);
}

mlir::Value castTo(mlir::OpBuilder &builder, mlir::Value v, DType type) {
  TensorInfo info = describe(v);
  mlir::OperationState state(v.getLoc(), CastOp::getOperationName());
  state.addOperands(v);
  state.addTypes(plainType(v.getContext(), info.shape, type));
  state.addAttribute("to_dtype", builder.getStringAttr(dtypeName(type)));
  state.addAttribute(kTopNamesAttr,
                     builder.getStrArrayAttr({tensorNameOf(v) + "_cast"}));
  return builder.create(state)->getResult(0);
}

/// \p v as what an executable can have as an input or output.
mlir::Value atBorder(mlir::OpBuilder &builder, mlir::Value v) {
  return describe(v).dtype == DType::BF16 ? castTo(builder, v, DType::F32) : v;
}

/// A network of the layer alone, in that form; null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp>
networkOf(mlir::Operation *layer, const Form &form, DiagnosticEngine &diags) {
  mlir::MLIRContext *context = layer->getContext();
  mlir::OpBuilder builder(context);
  DiagnosticForwarder forward(context, diags, diag::OpInvalid);
  mlir::OwningOpRef<mlir::ModuleOp> module(
      mlir::ModuleOp::create(builder.getUnknownLoc()));
  builder.setInsertionPointToEnd(module->getBody());
  auto func =
      mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "main",
                                 builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(func.addEntryBlock());
  llvm::SmallVector<mlir::Value> operands;
  int64_t inputs = 0;
  for (mlir::Value v : layer->getOperands()) {
    mlir::Operation *source = v.getDefiningOp();
    if (llvm::isa<ConstantOp>(source)) {
      operands.push_back(builder.clone(*source)->getResult(0));
      continue;
    }
    mlir::RankedTensorType type = typeIn(form, v.getType());
    bool isBfloat = describe(type).dtype == DType::BF16;
    mlir::OperationState state(layer->getLoc(), InputOp::getOperationName());
    state.addTypes(isBfloat ? plainType(context, type.getShape(), DType::F32)
                            : type);
    state.addAttribute("input_index", builder.getI64IntegerAttr(inputs));
    state.addAttribute(kTopNamesAttr, builder.getStrArrayAttr(
                                          {"in" + std::to_string(inputs++)}));
    mlir::Value input = builder.create(state)->getResult(0);
    operands.push_back(isBfloat ? castTo(builder, input, DType::BF16) : input);
  }
  mlir::Operation *op = builder.clone(*layer);
  op->setOperands(operands);
  for (mlir::Value result : op->getResults())
    result.setType(typeIn(form, result.getType()));
  llvm::SmallVector<llvm::SmallVector<int64_t>> shapes;
  if (failed(verifyOperandsAndKeys(op)) ||
      failed(llvm::cast<CompassOp>(op).inferShapes(shapes)))
    return nullptr;
  for (auto [result, shape] : llvm::zip(op->getResults(), shapes))
    result.setType(mlir::RankedTensorType::get(
        shape,
        mlir::cast<mlir::RankedTensorType>(result.getType()).getElementType()));
  llvm::SmallVector<mlir::Value> outputs;
  for (mlir::Value result : op->getResults())
    outputs.push_back(atBorder(builder, result));
  mlir::func::ReturnOp::create(builder, layer->getLoc(), outputs);
  func.setType(
      builder.getFunctionType({}, mlir::ValueRange(outputs).getTypes()));
  return mlir::succeeded(mlir::verify(*module)) ? std::move(module) : nullptr;
}

/// Small whole numbers, which are places, lengths and truth values as well, and
/// floats around 0. Quantized tensors have all values.
TensorBytes dataOf(const TensorInfo &info, Random &random) {
  static const uint16_t halves[] = {0xc000, 0xbc00, 0xb800, 0,
                                    0x3800, 0x3c00, 0x3e00, 0x4000};
  static const float singles[] = {-2, -1, -0.5f, 0, 0.5f, 1, 1.5f, 2};
  TensorBytes bytes(info.sizeBytes());
  size_t size = kernels::dtypeBytes(info.dtype);
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t value = info.isQuantized() ? random.next() : random.below(4);
    if (info.dtype == DType::Bool)
      value = random.below(2);
    if (info.dtype == DType::F16)
      value = halves[random.below(8)];
    else if (info.dtype == DType::F32)
      value = std::bit_cast<uint32_t>(singles[random.below(8)]);
    std::memcpy(&bytes[at], &value, size);
  }
  return bytes;
}

std::string codesOf(const DiagnosticEngine &diags) {
  std::set<std::string> codes;
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      codes.insert(std::string(d.id->code) + " " + d.message);
  return llvm::join(codes, ", ");
}

/// What becomes of the layer in that form: "computed", or the codes with which
/// it is refused. Fails the test if neither holds.
std::string outcomeOf(mlir::Operation *layer, const Form &form,
                      const std::string &target) {
  DiagnosticEngine diags;
  auto module = networkOf(layer, form, diags);
  if (!module || !checkExecutable(*module, diags) ||
      !checkKernels(*module, /*mustRun=*/true, diags)) {
    std::string codes = codesOf(diags);
    EXPECT_NE(codes, "") << "failed without a diagnostic";
    return codes;
  }
  auto evaluator = Evaluator::create(*module, diags);
  EXPECT_TRUE(evaluator) << codesOf(diags);
  if (!evaluator)
    return "failed";
  Random random(7);
  std::vector<TensorBytes> inputs, expected;
  for (mlir::Value input : evaluator->inputs())
    inputs.push_back(dataOf(describe(input), random));
  std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
  EvaluationStop stop = evaluator->run(refs, expected);
  SampleOutputs functional, timed;
  bool ran = compileAndRun(*module, {target, /*optimize=*/true}, {inputs},
                           functional, timed, diags);
  // Random indices are mostly out of bounds, there and on the device.
  if (stop) {
    EXPECT_FALSE(ran) << "the device does not see the index";
    EXPECT_NE(codesOf(diags).find("is out of bounds"), std::string::npos)
        << codesOf(diags);
    return "stopped";
  }
  EXPECT_TRUE(ran) << codesOf(diags);
  if (!ran)
    return "failed";
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(functional[0][i] == expected[i]) << "output " << i;
    EXPECT_TRUE(timed[0][i] == expected[i]) << "output " << i << ", timed";
  }
  return "computed";
}

/// The bytes of each result, on the host and on the NPU.
std::vector<TensorBytes> resultsOf(const std::string &text,
                                   const std::vector<TensorBytes> &inputs) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  DiagnosticEngine diags;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto evaluator = module ? Evaluator::create(*module, diags) : nullptr;
  EXPECT_TRUE(evaluator) << codesOf(diags);
  if (!evaluator)
    return {};
  std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
  std::vector<TensorBytes> expected;
  evaluator->run(refs, expected);
  SampleOutputs functional, timed;
  EXPECT_TRUE(compileAndRun(*module, {"X2_1204", true}, {inputs}, functional,
                            timed, diags))
      << codesOf(diags);
  EXPECT_TRUE(functional == SampleOutputs{expected});
  return expected;
}

/// More than a kernel takes at once: one number each, in order.
TEST(Forms, ManyTensorsAreJoinedAndSplit) {
  for (int count : {17, 40, 300}) {
    std::string whole = "tensor<2x" + std::to_string(count) + "xi8>", operands,
                types, text = "func.func @main() -> " + whole + " {\n";
    text += "  %x = compass.input() : () -> " + whole + "\n";
    for (int i = 0; i < count; ++i) {
      operands += (i ? ", %p#" : "%p#") + std::to_string(count - 1 - i);
      types += i ? ", tensor<2x1xi8>" : "tensor<2x1xi8>";
    }
    std::string ones = "1";
    for (int i = 1; i < count; ++i)
      ones += ", 1";
    text +=
        "  %p:" + std::to_string(count) +
        " = compass.split(%x) {axis = 1 : i64, splits = array<i64: " + ones +
        ">} : (" + whole + ") -> (" + types + ")\n" + "  %y = compass.concat(" +
        operands + ") {axis = 1 : i64} : (" + types + ") -> " + whole +
        "\n  return %y : " + whole + "\n}\n";
    TensorBytes data(size_t(2 * count));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = char(i * 7);
    std::vector<TensorBytes> found = resultsOf(text, {data});
    ASSERT_EQ(found.size(), 1u);
    for (int row = 0; row < 2; ++row)
      for (int i = 0; i < count; ++i)
        EXPECT_EQ(found[0][size_t(row * count + i)],
                  data[size_t(row * count + count - 1 - i)]);
  }
}

/// Layers that no pack has, as they come from NNAPI: random inputs, of which
/// the integers are numbers of images and seeds.
TEST(Forms, LayersOfNnapiAreTheSameOnTheNpu) {
  const char *const text = R"(
  func.func @main() -> (tensor<40xf32>, tensor<40x4xf32>, tensor<40xi32>, tensor<40xi32>, tensor<1xi32>, tensor<30xf32>, tensor<30x4xf32>, tensor<30xi32>, tensor<1xi32>, tensor<1x8xf32>, tensor<1x8x4xf32>, tensor<1x8xi32>, tensor<1xi32>, tensor<1x8xf32>, tensor<1x8x4xf32>, tensor<1x8xi32>, tensor<1xi32>, tensor<20x3xf32>, tensor<20x3x2xf32>, tensor<80xi32>, tensor<20x50xi32>) {
    %boxes = compass.input() : () -> tensor<20x4xf32>
    %deltas = compass.input() {input_index = 1 : i64} : () -> tensor<20x12xf32>
    %images = compass.input() {input_index = 2 : i64} : () -> tensor<20xi32>
    %sizes = compass.input() {input_index = 3 : i64} : () -> tensor<2x2xf32>
    %scores = compass.input() {input_index = 4 : i64} : () -> tensor<20x3xf32>
    %cells = compass.input() {input_index = 5 : i64} : () -> tensor<2x3x3x2xf32>
    %moves = compass.input() {input_index = 6 : i64} : () -> tensor<2x3x3x8xf32>
    %anchors = compass.input() {input_index = 7 : i64} : () -> tensor<2x4xf32>
    %classes = compass.input() {input_index = 8 : i64} : () -> tensor<1x20x3xf32>
    %offsets = compass.input() {input_index = 9 : i64} : () -> tensor<1x20x4xf32>
    %maps = compass.input() {input_index = 10 : i64} : () -> tensor<20x4x4x3xf32>
    %seeds = compass.input() {input_index = 11 : i64} : () -> tensor<2xi32>
    %moved = compass.box_transform(%boxes, %deltas, %images, %sizes) : (tensor<20x4xf32>, tensor<20x12xf32>, tensor<20xi32>, tensor<2x2xf32>) -> tensor<20x12xf32>
    %kept:5 = compass.limited_nms(%scores, %moved, %images) {method = "GAUSSIAN", score_threshold = -1.0 : f64, soft_nms_sigma = 0.5 : f64, nms_score_threshold = -2.0 : f64, max_output_size = 7 : i64} : (tensor<20x3xf32>, tensor<20x12xf32>, tensor<20xi32>) -> (tensor<40xf32>, tensor<40x4xf32>, tensor<40xi32>, tensor<40xi32>, tensor<1xi32>)
    %proposed:4 = compass.box_proposals(%cells, %moves, %anchors, %sizes) {height_stride = 0.5 : f64, width_stride = 0.25 : f64, post_nms_topn = 15 : i64, iou_threshold = 0.5 : f64, min_size = 0.0 : f64} : (tensor<2x3x3x2xf32>, tensor<2x3x3x8xf32>, tensor<2x4xf32>, tensor<2x2xf32>) -> (tensor<30xf32>, tensor<30x4xf32>, tensor<30xi32>, tensor<1xi32>)
    %best:4 = compass.detection_post_process(%classes, %offsets, %boxes) {max_classes_per_detection = 2 : i64, variance = array<f64: 10.0, 10.0, 5.0, 5.0>, max_output_size = 8 : i64, score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<1x20x3xf32>, tensor<1x20x4xf32>, tensor<20x4xf32>) -> (tensor<1x8xf32>, tensor<1x8x4xf32>, tensor<1x8xi32>, tensor<1xi32>)
    %each:4 = compass.detection_post_process(%classes, %offsets, %boxes) {method = "EACH", max_detections_per_class = 4 : i64, variance = array<f64: 10.0, 10.0, 5.0, 5.0>, max_output_size = 8 : i64, score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<1x20x3xf32>, tensor<1x20x4xf32>, tensor<20x4xf32>) -> (tensor<1x8xf32>, tensor<1x8x4xf32>, tensor<1x8xi32>, tensor<1xi32>)
    %peaks:2 = compass.heatmap_max_keypoint(%maps, %boxes) : (tensor<20x4x4x3xf32>, tensor<20x4xf32>) -> (tensor<20x3xf32>, tensor<20x3x2xf32>)
    %bits = compass.lsh_projection(%boxes, %scores) : (tensor<20x4xf32>, tensor<20x3xf32>) -> tensor<80xi32>
    %weights = compass.softmax(%scores) {axis = 1 : i64} : (tensor<20x3xf32>) -> tensor<20x3xf32>
    %drawn = compass.multinomial(%weights, %seeds) {num_samples = 50 : i64} : (tensor<20x3xf32>, tensor<2xi32>) -> tensor<20x50xi32>
    return %kept#0, %kept#1, %kept#2, %kept#3, %kept#4, %proposed#0, %proposed#1, %proposed#2, %proposed#3, %best#0, %best#1, %best#2, %best#3, %each#0, %each#1, %each#2, %each#3, %peaks#0, %peaks#1, %bits, %drawn : tensor<40xf32>, tensor<40x4xf32>, tensor<40xi32>, tensor<40xi32>, tensor<1xi32>, tensor<30xf32>, tensor<30x4xf32>, tensor<30xi32>, tensor<1xi32>, tensor<1x8xf32>, tensor<1x8x4xf32>, tensor<1x8xi32>, tensor<1xi32>, tensor<1x8xf32>, tensor<1x8x4xf32>, tensor<1x8xi32>, tensor<1xi32>, tensor<20x3xf32>, tensor<20x3x2xf32>, tensor<80xi32>, tensor<20x50xi32>
  })";
  Random random(11);
  std::vector<TensorBytes> inputs;
  for (auto [count, isFloat] : {std::pair(80, true),
                                {240, true},
                                {20, false},
                                {4, true},
                                {60, true},
                                {36, true},
                                {144, true},
                                {8, true},
                                {60, true},
                                {80, true},
                                {960, true},
                                {2, false}}) {
    TensorBytes bytes(size_t(count) * 4);
    for (size_t i = 0; i < size_t(count); ++i) {
      float real = float(random.below(1 << 16)) / 16384 - 1;
      uint32_t word = isFloat ? std::bit_cast<uint32_t>(real)
                              : uint32_t(i * 4 / size_t(count));
      std::memcpy(&bytes[4 * i], &word, sizeof word);
    }
    inputs.push_back(std::move(bytes));
  }
  std::vector<TensorBytes> found = resultsOf(text, inputs);
  ASSERT_EQ(found.size(), 21u);
  // Something is found of all.
  for (size_t count : {4, 8, 12, 16})
    EXPECT_GT(std::bit_cast<uint8_t>(found[count][0]), 0) << count;
}

TEST(Forms, AreComputedOrRefused) {
  const char *only = std::getenv("YARROW_FORMS");
  std::map<std::string, unsigned> seen;
  size_t forms = 0, computed = 0, refused = 0;
  for (const Pack &pack : findPacks(YARROW_TREE_PACKS))
    for (const char *ir : {"float", "int"}) {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      Outcome why;
      auto module = readPack(context, pack, ir, why);
      if (!module)
        continue;
      std::vector<mlir::Operation *> layers;
      module->walk([&](CompassOp op) {
        if (!op->hasTrait<trait::Source>() &&
            recordOf(op)->rule != RuleClass::ControlRule)
          layers.push_back(op);
      });
      for (mlir::Operation *layer : layers) {
        std::string name = recordOf(layer)->layerType.str();
        if (only && name.find(only) == std::string::npos)
          continue;
        // One layer of an operator in each IR: others are of other packs.
        if (seen[name + ir]++ > 0)
          continue;
        for (const Form &form : formsOf(layer)) {
          // All of them are minutes.
          if (!only && ++forms % 5 != 0)
            continue;
          static const char *const targets[] = {"X2_1204", "Z2_1104",
                                                "Z1_0701"};
          const char *target = targets[(computed + refused) % 3];
          SCOPED_TRACE(name + " in " + ir + " IR of " + pack.name + ", " +
                       form.name + ", " + target);
          if (only)
            std::cout << name << " " << ir << ", " << form.name << ": "
                      << std::flush;
          std::string outcome = outcomeOf(layer, form, target);
          if (only)
            std::cout << outcome << '\n' << std::flush;
          ++(outcome == "computed" ? computed : refused);
        }
      }
    }
  std::cout << computed << " forms computed, " << refused << " refused\n";
}

} // namespace
