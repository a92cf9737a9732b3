//===- Emit.cpp - From npu commands to an executable ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emit.h"
#include "codegen/ElfWriter.h"
#include "codegen/ProgramLists.h"
#include "codegen/TecProgram.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/Target.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

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

/// The constants region: each buffer at its address, gaps filled with zeros.
std::vector<std::span<const std::byte>> constantsOf(func::FuncOp func) {
  static constexpr std::byte zeros[64] = {};
  std::vector<std::pair<uint64_t, ArrayRef<char>>> parts;
  for (auto buffer : func.getOps<BufferOp>())
    if (buffer.getRegion() == isa::kWeightRegion)
      parts.push_back({uint64_t(buffer.getAddress().value_or(0)),
                       compass::viewConstant(*buffer.getData())->bytes});
  llvm::sort(parts, llvm::less_first());
  std::vector<std::span<const std::byte>> spans;
  uint64_t at = 0;
  for (auto [address, bytes] : parts) {
    for (; at < address; at += std::min<uint64_t>(64, address - at))
      spans.push_back({zeros, size_t(std::min<uint64_t>(64, address - at))});
    spans.push_back(
        {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()});
    at += bytes.size();
  }
  return spans;
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
        .report(DiagId::CodegenFailed, compass::placeOf(v.getLoc()),
                std::string("an executable cannot have ") + what +
                    " of bfloat16")
        .found(compass::tensorNameOf(v))
        .expected("float16 or float32, for which a driver has numbers")
        .hint("a Cast before or after the network makes it one of them");
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
        .report(DiagId::CodegenFailed, compass::placeOf(v.getLoc()),
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

} // namespace

/// Builds all parts of the executable and hands them to \p finish, which they
/// do not outlive. False after errors.
static bool build(ModuleOp module, const isa::Machine &machine,
                  const EmitOptions &options, yarrow::DiagnosticEngine &diags,
                  llvm::function_ref<bool(const ExecutableInput &)> finish) {
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  auto source = compass::mainGraph(module);
  if (!checkElementTypes(source, diags) ||
      !checkSamples(source, options.samples, diags))
    return false;
  ExecutableInput out;
  out.targetName = machine.name;
  out.deviceWord = machine.device.word();
  out.samples = options.samples;
  out.hasProfile = options.hasProfile;
  for (Value v : compass::graphInputs(source))
    out.inputs.push_back(ioTensor(v));
  for (Value v : compass::graphOutputs(source))
    out.outputs.push_back(ioTensor(v));

  TecProgramInput program;
  program.regionCount = out.regionCount();
  program.tecs = machine.tecs;
  program.optimize = isOptimized(module);
  program.cache = options.cache;
  program.stackTopAddress = isa::kSramBaseAddress + machine.sramBytes;
  ProgramLists lists = collectLists(func, machine, program);
  if (!program.groups.empty())
    out.barriers.clear();
  for (const TecGroup &group : program.groups)
    out.barriers.push_back(group.isBarrier);
  out.weights = constantsOf(func);
  for (std::span<const std::byte> part : out.weights)
    program.constantBytes += uint32_t(part.size());
  auto built = buildTecProgram(program, diags);
  if (!built)
    return false;
  out.text = built->text;
  out.tecElf = built->elf;
  out.descriptors = std::as_bytes(std::span(lists.descriptors));
  out.workspaceBytes = memoryUseOf(module).workspaceBytes;
  out.provenanceJson =
      provenanceJson({module, machine, lists.queueLayers, lists.stepLayers,
                      program, *built, out.workspaceBytes, out.samples});
  return finish(out);
}

bool yarrow::emitExecutable(ModuleOp module, const isa::Machine &machine,
                            const std::string &path, const EmitOptions &options,
                            yarrow::DiagnosticEngine &diags) {
  return build(module, machine, options, diags,
               [&](const ExecutableInput &input) {
                 return writeExecutable(input, path, diags);
               });
}

std::optional<std::string>
yarrow::executableInMemory(ModuleOp module, const isa::Machine &machine,
                           const EmitOptions &options,
                           yarrow::DiagnosticEngine &diags) {
  std::optional<std::string> bytes;
  build(module, machine, options, diags, [&](const ExecutableInput &input) {
    bytes = executableBytes(input, diags);
    return bytes.has_value();
  });
  return bytes;
}
