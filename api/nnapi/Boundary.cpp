//===- Boundary.cpp - Where C begins --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include <new>
#include <stdexcept>
#include <system_error>

ResultCode yarrow::nnapi::resultOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return ANEURALNETWORKS_OUT_OF_MEMORY;
  } catch (const std::length_error &) {
    return ANEURALNETWORKS_OUT_OF_MEMORY;
  } catch (const std::system_error &) { // the system gives no more threads
    return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
  } catch (...) {
    return ANEURALNETWORKS_OP_FAILED;
  }
}
