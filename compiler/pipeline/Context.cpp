//===- Context.cpp - Where the compiler's modules live --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Context.h"
#include "dialects/compass/Compass.h"
#include "dialects/npu/Npu.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace yarrow;
using namespace mlir;

std::unique_ptr<MLIRContext> yarrow::makeContext() {
  // MLIR takes the memory of its dialects without looking whether there is any.
  // Asked for here, its lack is told as elsewhere.
  constexpr size_t kDialectsBytes = size_t(48) << 20;
  ::operator delete(::operator new(kDialectsBytes));
  DialectRegistry registry;
  compass::registerDialects(registry);
  registry.insert<npu::NpuDialect>();
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static void
forEachConstant(ModuleOp module,
                llvm::function_ref<void(DenseResourceElementsAttr)> visit) {
  module.walk([&](Operation *op) { op->getAttrDictionary().walk(visit); });
}

OwningOpRef<ModuleOp> yarrow::shareWith(MLIRContext &context, ModuleOp module) {
  // Bytecode is MLIR's way from one context to another.
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  BytecodeWriterConfig withoutConstants;
  withoutConstants.setElideResourceDataFlag();
  [[maybe_unused]] LogicalResult written =
      writeBytecodeToFile(module, os, withoutConstants);
  assert(succeeded(written) && "the newest version is always possible");
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> copy = parseSourceString<ModuleOp>(bytes, config);
  assert(copy && "what was written can be read");

  llvm::StringMap<const AsmResourceBlob *> blobs;
  forEachConstant(module, [&](DenseResourceElementsAttr constant) {
    auto handle = constant.getRawHandle();
    blobs[handle.getKey()] = handle.getBlob();
  });
  forEachConstant(*copy, [&](DenseResourceElementsAttr constant) {
    auto handle = constant.getRawHandle();
    if (const AsmResourceBlob *blob = blobs.lookup(handle.getKey()))
      handle.getResource()->setBlob(AsmResourceBlob(
          blob->getData(), blob->getDataAlignment(), /*deleter=*/nullptr,
          /*dataIsMutable=*/false));
  });
  return copy;
}
