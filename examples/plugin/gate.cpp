// The kernels of HardGate: y = x * min(max(slope * gate, 0), 1).
#include "HardGate.h"

using namespace yarrow::kernels;

YARROW_CUSTOM_KERNEL(gate_float, HardGate) {
  mapFloats(p, buffers, task, taskCount, [&](float x, float gate) {
    float open = p.keys.slope * gate;
    return x * (open < 0 ? 0 : open < 1 ? open : 1);
  });
}

// x and gate are q + zp, real = (q + zp) / scale; 1 is the gate's scale. The
// product has the product of both scales, which the multiplier brings to y's.
YARROW_CUSTOM_KERNEL(gate_int, HardGate) {
  const float one = p.inputs[1].scale;
  mapIntegers(p, buffers, task, taskCount, [&](int32_t x, int32_t gate) {
    float open = p.keys.slope * float(gate);
    int32_t factor = int32_t((open < 0 ? 0 : open < one ? open : one) + 0.5f);
    return p.multipliers[0].apply(int64_t(x) * factor);
  });
}
