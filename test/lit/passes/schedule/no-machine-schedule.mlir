// A module that does not say its machine cannot be scheduled or looked at.
// RUN: not yarrow-opt %s --yarrow-schedule 2>&1 | FileCheck %s

// CHECK: error E0505: the module does not name its machine
// CHECK: hint: run --yarrow-lower first: it sets the attribute
func.func @npu_main() {
  return
}
