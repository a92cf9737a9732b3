//===- SanitizerOptions.cpp - How sanitizers treat MLIR -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// MLIR and LLVM are the distribution's libraries, built without sanitizers. A
// container that our code fills and theirs grows has marks of unused space that
// are out of date, so the check of containers is off; all others are on.
// Undefined behaviour would only be printed, and the input lost: it ends the
// program as a wrong access does.
//
//===----------------------------------------------------------------------===//
extern "C" const char *__asan_default_options();
extern "C" const char *__ubsan_default_options();

extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0";
}

extern "C" const char *__ubsan_default_options() {
  return "halt_on_error=1:print_stacktrace=1";
}
