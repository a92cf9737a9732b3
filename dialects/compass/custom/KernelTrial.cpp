//===- KernelTrial.cpp - A plugin's kernel is tried before it runs --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/custom/KernelTrial.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/custom/CustomOps.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "support/diagnostics/Operators.h"
#include "support/diagnostics/Plugins.h"

#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Memory between two pages that nobody may touch.
class GuardedBuffer {
public:
  explicit GuardedBuffer(uint64_t sizeBytes) : sizeBytes(sizeBytes) {
    uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
    inner = (std::max<uint64_t>(sizeBytes, 1) + page - 1) / page * page;
    mappedBytes = inner + 2 * page;
    void *mapped = mmap(nullptr, mappedBytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      return;
    base = static_cast<char *>(mapped);
    begin = base + page;
    if (mprotect(begin, inner, PROT_READ | PROT_WRITE) != 0)
      begin = nullptr;
  }
  ~GuardedBuffer() {
    if (base)
      munmap(base, mappedBytes);
  }
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  explicit operator bool() const { return begin; }
  char *atFront() const { return begin; }
  char *atBack() const { return begin + (inner - sizeBytes); }
  void protect() const { mprotect(begin, inner, PROT_READ); }

  const uint64_t sizeBytes;

private:
  uint64_t inner = 0, mappedBytes = 0;
  char *base = nullptr, *begin = nullptr;
};

/// How a trial ends, as the exit code of its process.
enum TrialResult : int { Good = 0, LeavesBytes = 1, SeesTasks = 2 };

constexpr unsigned kMostSeconds = 60;
constexpr uint32_t kTasks = 3;

/// Integers over all values of a byte, decimals around 0.
void fillInput(const TrialTensor &tensor, char *bytes) {
  uint32_t state = 1;
  auto next = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
  if (tensor.type == kernels::DType::F32)
    for (uint64_t i = 0; i + 4 <= tensor.sizeBytes; i += 4) {
      float value = float(int32_t(next() % 2048) - 1024) / 256;
      std::memcpy(bytes + i, &value, sizeof(value));
    }
  else if (tensor.type == kernels::DType::I8 ||
           tensor.type == kernels::DType::U8)
    for (uint64_t i = 0; i < tensor.sizeBytes; ++i)
      bytes[i] = char(next());
  // The others stay 0: any bytes need not be a number of theirs.
}

class Trial {
public:
  Trial(const kernels::KernelInfo &kernel, ArrayRef<char> params,
        ArrayRef<TrialTensor> tensors)
      : kernel(kernel), params(params.begin(), params.end()), tensors(tensors) {
    for (const TrialTensor &tensor : tensors)
      // Two calls are compared: with outputs at the back and at the front.
      for (bool isFront : {false, true}) {
        GuardedBuffer &buffer = buffers.emplace_back(tensor.sizeBytes);
        if (!buffer)
          continue;
        char *data = isFront ? buffer.atFront() : buffer.atBack();
        if (!tensor.isOutput) {
          fillInput(tensor, data);
          buffer.protect();
        }
        (isFront ? fronts : backs).push_back(data);
      }
  }
  bool hasMemory() const {
    return llvm::all_of(buffers,
                        [](const GuardedBuffer &b) { return bool(b); });
  }

  /// In a process of its own: no memory is asked for here.
  TrialResult run() {
    call(backs, 0x5a, 1);
    call(fronts, 0xa5, 1);
    if (!areEqual())
      return LeavesBytes;
    call(fronts, 0xa5, kTasks);
    return areEqual() ? Good : SeesTasks;
  }

private:
  void call(std::vector<void *> &pointers, int before, uint32_t tasks) {
    for (auto [pointer, tensor] : llvm::zip(pointers, tensors))
      if (tensor.isOutput)
        std::memset(pointer, before, tensor.sizeBytes);
    for (uint32_t task = tasks; task-- != 0;)
      kernel.fn(params.data(), pointers.data(), task, tasks);
  }
  bool areEqual() const {
    for (auto [back, front, tensor] : llvm::zip(backs, fronts, tensors))
      if (std::memcmp(back, front, tensor.sizeBytes) != 0)
        return false;
    return true;
  }

  const kernels::KernelInfo &kernel;
  std::vector<char> params;
  ArrayRef<TrialTensor> tensors;
  std::deque<GuardedBuffer> buffers;
  std::vector<void *> backs, fronts;
};

} // namespace

static std::optional<std::string> faultOf(int status) {
  if (WIFEXITED(status)) {
    switch (WEXITSTATUS(status)) {
    case LeavesBytes:
      return "it does not write all of its result";
    case SeesTasks:
      return "its result depends on how many tasks share the work";
    default:
      return std::nullopt;
    }
  }
  switch (WTERMSIG(status)) {
  case SIGSEGV:
  case SIGBUS:
    return "it reads or writes outside its tensors, or writes to an input";
  case SIGALRM:
    return "it did not end within a minute";
  default:
    return std::string("it was ended by the signal ") +
           strsignal(WTERMSIG(status));
  }
}

std::optional<std::string> compass::tryKernel(const kernels::KernelInfo &kernel,
                                              ArrayRef<char> params,
                                              ArrayRef<TrialTensor> tensors) {
  Trial trial(kernel, params, tensors);
  if (!trial.hasMemory())
    return std::nullopt; // the layer itself will not have it either
  pid_t child = fork();
  if (child < 0)
    return std::nullopt;
  if (child == 0) {
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM})
      std::signal(signal, SIG_DFL);
    alarm(kMostSeconds);
    _exit(trial.run());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return faultOf(status);
}

/// What is wrong with the only call of a layer's program.
static std::optional<std::string> faultOf(CustomOp layer,
                                          const LayerProgram &program) {
  const KernelCall &call = *program.single();
  SmallVector<TrialTensor> tensors;
  for (auto [i, bound] : llvm::enumerate(call.bindings()))
    tensors.push_back({describe(layer, program, bound).dtype,
                       sizeBytesOf(layer, program, bound),
                       call.bufferOf(i).isOutput});
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>,
                  std::optional<std::string>>
      known;
  std::lock_guard lock(mutex);
  auto [it, isNew] = known.try_emplace(
      {call.symbol().str(),
       std::string(call.params().begin(), call.params().end())});
  if (isNew)
    it->second = tryKernel(call.getKernel(), call.params(), tensors);
  return it->second;
}

bool compass::tryCustomKernels(ModuleOp module,
                               yarrow::DiagnosticEngine &diags) {
  bool ok = true;
  module.walk([&](CustomOp layer) {
    yarrow::DiagnosticEngine ignored; // checkKernels tells
    DiagnosticForwarder forward(module.getContext(), ignored,
                                diag::OpUnsupported);
    auto program = programOf(layer);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !kernels::findPluginKernel(call->getKernel().symbol))
      return;
    auto fault = faultOf(layer, *program);
    if (!fault)
      return;
    ok = false;
    diags
        .report(diag::PluginKernel, placeOf(layer->getLoc(), "layer_type"),
                "the kernel " + call->symbol().str() + " of " +
                    layer.getLayerType().str() + " breaks the rules of kernels")
        .found(*fault)
        .hint("see the rules of kernels in docs/plugins.md; the plugin is " +
              recordOf(layer)->plugin->file);
  });
  return ok;
}
