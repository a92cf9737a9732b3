//===- Emit.cpp - From npu commands to an executable ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emit.h"
#include "codegen/Constants.h"
#include "codegen/DriverNotes.h"
#include "codegen/ElfWriter.h"
#include "codegen/ProgramLists.h"
#include "codegen/TecProgram.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/Target.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/diagnostics/Compiler.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

isa::DataType dataTypeOf(compass::DType t) {
  switch (t) {
  case compass::DType::I8:
    return isa::DataS8;
  case compass::DType::U8:
    return isa::DataU8;
  case compass::DType::I16:
    return isa::DataS16;
  case compass::DType::U16:
    return isa::DataU16;
  case compass::DType::I32:
    return isa::DataS32;
  case compass::DType::U32:
    return isa::DataU32;
  case compass::DType::F32:
    return isa::DataF32;
  case compass::DType::F16:
    return isa::DataF16;
  case compass::DType::Bool:
    return isa::DataBool;
  case compass::DType::I64:
    return isa::DataS64;
  case compass::DType::BF16:
  case compass::DType::F64:
  case compass::DType::U64:
    break; // refused before (compass::isExecutable)
  }
  llvm_unreachable("all element types are listed");
}

IoTensor ioTensor(Value v) {
  compass::TensorInfo info = compass::describe(v);
  return {compass::tensorNameOf(v), dataTypeOf(info.dtype), info.sizeBytes(),
          info.scale, info.zp};
}

/// The driver's element types have one 16-bit float; a bfloat16 tensor under
/// its number would be read as other values.
bool checkElementTypes(func::FuncOp source, yarrow::DiagnosticEngine &diags) {
  bool ok = true;
  auto check = [&](Value v, const char *what) {
    if (compass::describe(v).dtype != compass::DType::BF16)
      return;
    ok = false;
    diags
        .report(diag::CodegenFailed, compass::placeOf(v.getLoc()),
                std::string("an executable cannot have ") + what +
                    " of bfloat16")
        .found(compass::tensorNameOf(v))
        .expected("float16 or float32, which drivers know")
        .hint("add a Cast before or after the network");
  };
  for (Value v : compass::graphInputs(source))
    check(v, "an input");
  for (Value v : compass::graphOutputs(source))
    check(v, "an output");
  return ok;
}

/// Samples lie one behind the other in a tensor whose first axis counts them.
bool checkSamples(func::FuncOp source, uint32_t samples,
                  yarrow::DiagnosticEngine &diags) {
  bool ok = true;
  auto check = [&](Value v, const std::string &what) {
    compass::TensorInfo info = compass::describe(v);
    ArrayRef<int64_t> shape = info.shape;
    if (!shape.empty() && shape[0] == 1 && !compass::countOf(v))
      return;
    ok = false;
    diags
        .report(diag::CodegenFailed, compass::placeOf(v.getLoc()),
                "an executable for several samples cannot have this " + what)
        .found("'" + compass::tensorNameOf(v) + "'" +
               (shape.empty() || shape[0] != 1 ? ", whose first axis is not 1"
                                               : ", whose entries are counted"))
        .expected("tensors of a sample, with 1 as their first axis")
        .hint("`yarrow run --batch` runs an executable for one sample on "
              "several, side by side");
  };
  if (samples == 1)
    return true;
  for (Value v : compass::graphInputs(source))
    check(v, "input");
  for (Value v : compass::graphOutputs(source))
    check(v, "output");
  return ok;
}

/// The states of one network have places for one sample, of one shape.
bool checkStates(ArrayRef<func::FuncOp> sources, uint32_t samples,
                 yarrow::DiagnosticEngine &diags) {
  SmallVector<compass::GraphState> states = compass::graphStates(sources[0]);
  if (states.empty() || (samples == 1 && sources.size() == 1))
    return true;
  diags
      .report(diag::CodegenFailed, compass::placeOf(states[0].past.getLoc()),
              "a network that keeps a state computes one sample at a time, of "
              "one shape")
      .found(samples > 1 ? std::to_string(samples) + " samples"
                         : std::to_string(sources.size()) + " shapes")
      .hint("import the model with --state none: its state then is inputs and "
            "outputs");
  return false;
}

/// What the states of a network are before the first run.
std::vector<std::vector<char>> stateBytes(func::FuncOp source) {
  std::vector<std::vector<char>> all;
  for (const compass::GraphState &state : compass::graphStates(source)) {
    all.push_back(compass::initialBytes(state));
    all.back().resize(
        std::max<size_t>(all.back().size(), isa::kMinSectionBytes));
  }
  return all;
}

} // namespace

/// Programs of one executable are alike but for shapes: the driver has one
/// description of each tensor. Reports the first difference.
static bool checkAlike(ArrayRef<func::FuncOp> sources,
                       yarrow::DiagnosticEngine &diags) {
  auto isAlike = [&](ValueRange first, ValueRange other, const char *what) {
    auto differs = [&](const std::string &how, size_t i) {
      diags
          .report(diag::CodegenFailed, compass::placeOf(other[i].getLoc()),
                  std::string("for other shapes the network has an ") + what +
                      " " + how)
          .found(compass::tensorNameOf(other[i]))
          .expected(compass::tensorNameOf(first[i]));
      return false;
    };
    for (size_t i = 0; i < std::min(first.size(), other.size()); ++i) {
      compass::TensorInfo a = compass::describe(first[i]),
                          b = compass::describe(other[i]);
      if (a.dtype != b.dtype || a.shape.size() != b.shape.size())
        return differs("of another type or rank", i);
      if (a.scale != b.scale || a.zp != b.zp)
        return differs("with another quantization", i);
    }
    if (first.size() == other.size())
      return true;
    diags.report(diag::CodegenFailed, {},
                 std::string("for other shapes the network has another number "
                             "of ") +
                     what + "s");
    return false;
  };
  for (func::FuncOp source : sources.drop_front())
    if (!isAlike(compass::graphInputs(sources[0]), compass::graphInputs(source),
                 "input") ||
        !isAlike(compass::graphOutputs(sources[0]),
                 compass::graphOutputs(source), "output"))
      return false;
  return true;
}

template <typename Values>
static std::vector<std::vector<int64_t>> shapesOf(const Values &values) {
  std::vector<std::vector<int64_t>> shapes;
  for (Value v : values) {
    compass::TensorInfo info = compass::describe(v);
    shapes.emplace_back(info.shape.begin(), info.shape.end());
  }
  return shapes;
}

static std::vector<uint32_t>
lengthsOf(const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<uint32_t> lengths;
  for (const std::vector<int64_t> &shape : shapes)
    lengths.insert(lengths.end(), shape.begin(), shape.end());
  return lengths;
}

/// Adds what is described of tensors: as large as any program has them.
template <typename Values>
static void addTensors(const Values &values, std::vector<IoTensor> &tensors) {
  size_t i = 0;
  for (Value v : values) {
    IoTensor tensor = ioTensor(v);
    if (i == tensors.size())
      tensors.push_back(tensor);
    tensors[i].sizeBytes = std::max(tensors[i].sizeBytes, tensor.sizeBytes);
    ++i;
  }
}

/// Builds all parts of the executable and hands them to \p finish, which they
/// do not outlive. False after errors.
static bool build(ArrayRef<ModuleOp> modules, const isa::Machine &machine,
                  const EmitOptions &options, yarrow::DiagnosticEngine &diags,
                  llvm::function_ref<bool(const ExecutableInput &)> finish) {
  SmallVector<func::FuncOp> functions, sources;
  for (ModuleOp module : modules) {
    functions.push_back(module.lookupSymbol<func::FuncOp>(kMainFunction));
    sources.push_back(compass::mainGraph(module));
  }
  bool isSeveral = modules.size() > 1;
  assert((!isSeveral || options.samples == 1) &&
         "the place of a sample would depend on the shape");
  if (!checkElementTypes(sources[0], diags) ||
      !checkSamples(sources[0], options.samples, diags) ||
      !checkStates(sources, options.samples, diags) ||
      !checkAlike(sources, diags))
    return false;
  ExecutableInput out;
  out.targetName = machine.name;
  out.deviceWord = machine.device.word();
  out.samples = options.samples;
  out.hasProfile = options.hasProfile;
  TecProgramInput program;
  for (func::FuncOp source : sources) {
    addTensors(compass::callerInputValues(source), out.inputs);
    addTensors(compass::callerOutputValues(source), out.outputs);
    if (!isSeveral)
      continue;
    out.shapes.push_back({shapesOf(compass::graphInputs(source)),
                          shapesOf(compass::graphOutputs(source))});
    program.variants.push_back({lengthsOf(out.shapes.back().inputs),
                                lengthsOf(out.shapes.back().outputs)});
  }

  out.states = stateBytes(sources[0]);
  program.regionCount = out.regionCount();
  program.tecs = machine.tecs;
  program.optimize = isOptimized(modules[0]);
  program.cache = options.cache;
  program.isTrial = options.isTrial;
  program.stackTopAddress = isa::kSramBaseAddress + machine.sramBytes;
  shareConstants(functions);
  auto lists = collectLists(functions, machine, program, diags);
  if (!lists)
    return false;
  out.barriers.clear();
  for (const TecGroup &group : program.groups)
    out.barriers.push_back(group.isBarrier);
  out.weights = constantsOf(functions);
  for (std::span<const std::byte> part : out.weights)
    program.constantBytes += uint32_t(part.size());
  if (weightBytes(out))
    out.weightFile = options.weightFile;
  auto built = buildTecProgram(program, diags);
  if (!built)
    return false;
  out.text = built->text;
  out.tecElf = built->elf;
  out.descriptors = std::as_bytes(std::span(lists->descriptors));
  for (ModuleOp module : modules)
    out.workspaceBytes =
        std::max(out.workspaceBytes, memoryUseOf(module).workspaceBytes);
  out.provenanceJson =
      provenanceJson({modules, machine, lists->queueLayers, lists->stepLayers,
                      lists->places, program, *built, out.workspaceBytes,
                      out.samples, out.weightFile, weightParts(out)});
  return finish(out);
}

bool yarrow::emitExecutable(ArrayRef<ModuleOp> modules,
                            const isa::Machine &machine,
                            const std::string &path, const EmitOptions &options,
                            yarrow::DiagnosticEngine &diags) {
  return build(modules, machine, options, diags,
               [&](const ExecutableInput &input) {
                 return writeExecutable(input, path, diags);
               });
}

std::optional<std::string> yarrow::executableInMemory(
    ArrayRef<ModuleOp> modules, const isa::Machine &machine,
    const EmitOptions &options, yarrow::DiagnosticEngine &diags) {
  assert(options.weightFile.empty() && "there is one file in memory");
  std::optional<std::string> bytes;
  build(modules, machine, options, diags, [&](const ExecutableInput &input) {
    bytes = executableBytes(input, diags);
    return bytes.has_value();
  });
  return bytes;
}
