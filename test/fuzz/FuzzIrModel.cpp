//===- FuzzIrModel.cpp - Broken networks: text and weights ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An input is IR text, a line "====", and the bytes of the weights file. It
// goes the whole way into MLIR: reader, verifiers, shape inference, choice of
// kernels, writer. Whatever the bytes: no crash and no hang; a module exactly
// if there is no error; what is written reads again and is then written the
// same. Tensors of terabytes may be declared, and cost nothing.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "parser/compass/CompassReader.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Operators.h"
#include "test/fuzz/Folder.h"
#include "test/fuzz/Fuzz.h"

#include <string_view>

using namespace yarrow;
using fuzz::require;

namespace {

std::string load(const std::string &path) {
  DiagnosticEngine diags;
  auto file = MappedFile::open(path, diags);
  require(file != nullptr, "a file that was written is there", &diags);
  return std::string(file->text());
}

/// Which kernel would run, with which parameters; layers may refuse.
void chooseKernels(mlir::ModuleOp module) {
  DiagnosticEngine diags;
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::OpUnsupported);
  module.walk([&](compass::CompassOp op) {
    bool isGood = mlir::succeeded(compass::programOf(op));
    // Inputs and constants have no kernel and no reason to tell.
    require(isGood || diags.hasErrors() || op->getNumOperands() == 0,
            "a layer that has no kernel says why");
  });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const fuzz::Folder folder;
  constexpr std::string_view separator = "====\n";
  std::string_view input(reinterpret_cast<const char *>(data), size);
  std::size_t at = input.find(separator);
  std::string_view bin = at == std::string_view::npos
                             ? std::string_view()
                             : input.substr(at + separator.size());
  std::string txtPath = folder / "net.txt", binPath = folder / "net.bin";
  fuzz::save(txtPath, input.substr(0, at));
  fuzz::save(binPath, bin);

  DiagnosticEngine diags;
  mlir::MLIRContext &context = fuzz::nextContext();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      compass::readCompassIr(context, txtPath, binPath, diags);
  for (const Diagnostic &diag : diags.all())
    diag.str();
  require(bool(module) == !diags.hasErrors(),
          "a module exactly if there is no error", &diags);
  if (!module)
    return 0;
  ++fuzz::numAccepted;
  require(mlir::succeeded(mlir::verify(*module)), "a module is valid");
  chooseKernels(*module);

  std::string text[2], weights[2];
  for (unsigned round : {0, 1}) {
    std::string outTxt = folder / (round ? "b.txt" : "a.txt");
    std::string outBin = folder / (round ? "b.bin" : "a.bin");
    require(compass::writeCompassIr(*module, outTxt, outBin, diags),
            "a module can be written", &diags);
    text[round] = load(outTxt);
    weights[round] = load(outBin);
    if (round == 0) {
      module = compass::readCompassIr(context, outTxt, outBin, diags);
      require(bool(module), "what is written can be read", &diags);
    }
  }
  // The header names the weights file; both rounds have names of one length.
  std::string::size_type name = text[1].find("model_bin=./b.bin");
  if (name != std::string::npos)
    text[1][name + 12] = 'a';
  require(text[0] == text[1] && weights[0] == weights[1], "writing is stable");
  return 0;
}
