// A machine that does not exist stops the pass, with a suggestion.
// RUN: not yarrow-opt %s --yarrow-lower=target=X2_1205 2>&1 | FileCheck %s
// CHECK: E0505: there is no target 'X2_1205'
// CHECK: did you mean 'X2_1204'?
func.func @main() {
  return
}
