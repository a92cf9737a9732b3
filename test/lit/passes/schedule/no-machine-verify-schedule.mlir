// A module that does not say its machine cannot be scheduled or looked at.
// RUN: not yarrow-opt %s --yarrow-verify-schedule 2>&1 | FileCheck %s

// CHECK: error E0505: the module does not say for which machine it is
// CHECK: hint: --yarrow-lower sets it
func.func @npu_main() {
  return
}
