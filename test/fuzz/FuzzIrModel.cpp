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
#include "test/fuzz/Fuzz.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>

using namespace yarrow;
using fuzz::require;

namespace {

/// A folder of this process, in memory where the system has one.
class Folder {
public:
  Folder() {
    namespace fs = std::filesystem;
    fs::path base = fs::exists("/dev/shm") ? fs::path("/dev/shm")
                                           : fs::temp_directory_path();
    path = base / ("yarrow-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const char *name) const { return path / name; }

private:
  std::filesystem::path path;
};

void save(const std::string &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), std::streamsize(bytes.size()));
}

std::string load(const std::string &path) {
  DiagnosticEngine diags;
  auto file = MappedFile::open(path, diags);
  require(file != nullptr, "a file that was written is there", &diags);
  return std::string(file->text());
}

/// Every attribute that was ever made stays in its context, so that one for
/// all inputs would grow without end, and one for each would be slow.
mlir::MLIRContext &nextContext() {
  constexpr unsigned inputsPerContext = 500;
  static std::unique_ptr<mlir::MLIRContext> current;
  static unsigned used = 0;
  if (!current || ++used == inputsPerContext) {
    used = 0;
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    current = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    current->loadAllAvailableDialects();
  }
  return *current;
}

/// Which kernel would run, with which parameters; layers may refuse.
void chooseKernels(mlir::ModuleOp module) {
  DiagnosticEngine diags;
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       DiagId::OpUnsupported);
  module.walk([&](compass::CompassOp op) {
    compass::KernelCall call;
    bool isGood = mlir::succeeded(op.buildKernel(call));
    // Inputs and constants have no kernel and no reason to tell.
    require(isGood || diags.hasErrors() || op->getNumOperands() == 0,
            "a layer that has no kernel says why");
  });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const Folder folder;
  constexpr std::string_view separator = "====\n";
  std::string_view input(reinterpret_cast<const char *>(data), size);
  std::size_t at = input.find(separator);
  std::string_view bin = at == std::string_view::npos
                             ? std::string_view()
                             : input.substr(at + separator.size());
  std::string txtPath = folder / "net.txt", binPath = folder / "net.bin";
  save(txtPath, input.substr(0, at));
  save(binPath, bin);

  DiagnosticEngine diags;
  mlir::MLIRContext &context = nextContext();
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
