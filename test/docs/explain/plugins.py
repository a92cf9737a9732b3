"""Examples of support/diagnostics/Plugins.def."""
from explain.kinds import file, ir_files

RECORD = """layer_type: MySwish
summary: an example
source: my_swish.cpp
inputs: [{name: x, doc: a}]
outputs: [{name: y, shape: as x, doc: a}]
kernels: {float: my_swish}
"""
NETWORK = ir_files("MySwish x:float32[1,4,4,2] -> y:float32[1,4,4,2]")
FUNCTION = """#include "MySwish.h"
#include "kernels/Math.h"
using namespace yarrow::kernels;
"""

EXAMPLES = {
    "E1101": file("my_swish.yaml", "yarrow ops --plugin my_swish.yaml MySwish",
                  RECORD.rpartition("kernels")[0].replace("layer_type: MySwish\n", "") + "{}",
                  also={"my_swish.cpp": FUNCTION + "YARROW_CUSTOM_KERNEL(my_swish, MySwish) {}\n"}),
    "E1102": file("my_swish.cpp", "yarrow ops --plugin my_swish.yaml MySwish",
                  FUNCTION + """YARROW_CUSTOM_KERNEL(my_swish, MySwish) {
  mapFloats(p, buffers, task, taskCount, [](float x) {
    {}
  });
}""", also={"my_swish.yaml": RECORD}),
    "E1103": file("my_swish.cpp", "yarrow compile net.txt --plugin my_swish.yaml",
                  FUNCTION + """YARROW_CUSTOM_KERNEL(my_swish, MySwish) {
  uint32_t count = p.outputs[0].count;
  const float *x = static_cast<const float *>(buffers[0]);
  volatile float *y = static_cast<volatile float *>(buffers[1]);
  {}
}""", also={"my_swish.yaml": RECORD, **NETWORK}),
}
