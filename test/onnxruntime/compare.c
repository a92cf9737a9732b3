/* Outputs of a model with Yarrow's provider and on the CPU, for models.py:

     compare MODEL LIBRARY STEPS WAYS [key=value ...]

   STEPS: of each output, how far apart neighbours are that count as one step;
   "-" of outputs without steps. Runs the model on the CPU, then in each of the
   WAYS, with commas between them:
     npu     with the provider, which gets the keys
     floats  on the CPU, QDQ models in floats
     again   on the CPU, in the same session
     noise=OTHER  on the CPU, another model, inputs with other last bits
   and prints a line for each way and output. Inputs are random, as in run.c. */
#include "test/onnxruntime/model.h"

typedef struct {
  size_t equal, one, more, lost, not_finite, elements;
  double most, top; /* the largest difference, and value */
} Difference;

static double half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31  ? fraction ? NAN : INFINITY
                 : exponent == 0 ? ldexp(fraction, -24)
                                 : ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 ? -value : value;
}

static double bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* The numbers of types are ONNX's. 0 of one that no number is. */
static size_t width_of(int element) {
  static const size_t widths[] = {0, 4, 1, 1, 2, 2, 4, 8, 0,
                                  1, 2, 8, 4, 8, 0, 0, 2};
  return element >= 0 && element <= 16 ? widths[element] : 0;
}

static double number_at(int element, const void *data, size_t i) {
  switch (element) {
  case 1:
    return ((const float *)data)[i];
  case 2:
  case 9:
    return ((const uint8_t *)data)[i];
  case 3:
    return ((const int8_t *)data)[i];
  case 4:
    return ((const uint16_t *)data)[i];
  case 5:
    return ((const int16_t *)data)[i];
  case 6:
    return ((const int32_t *)data)[i];
  case 7:
    return (double)((const int64_t *)data)[i];
  case 10:
    return half(((const uint16_t *)data)[i]);
  case 11:
    return ((const double *)data)[i];
  case 12:
    return ((const uint32_t *)data)[i];
  case 13:
    return (double)((const uint64_t *)data)[i];
  default:
    return bfloat(((const uint16_t *)data)[i]);
  }
}

/* 0 of what is not a tensor of numbers: there is nothing to compare. */
static int element_of(OrtValue *value) {
  OrtTensorTypeAndShapeInfo *info;
  ONNXTensorElementDataType element;
  size_t bytes;
  OrtStatus *status = ort->GetTensorTypeAndShape(value, &info);
  if (status)
    return ort->ReleaseStatus(status), 0;
  check(ort->GetTensorElementType(info, &element));
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if ((status = ort->GetTensorSizeInBytes(value, &bytes)))
    return ort->ReleaseStatus(status), 0;
  return width_of((int)element) ? (int)element : 0;
}

static Difference compare(OrtValue *a, OrtValue *b, double step) {
  Difference d = {0};
  int element = element_of(a);
  size_t size, other, width = width_of(element), i;
  char *x, *y;
  if (element != element_of(b)) {
    d.elements = d.lost = 1;
    return d;
  }
  if (!element)
    return d;
  check(ort->GetTensorSizeInBytes(a, &size));
  check(ort->GetTensorSizeInBytes(b, &other));
  check(ort->GetTensorMutableData(a, (void **)&x));
  check(ort->GetTensorMutableData(b, (void **)&y));
  if (size != other) {
    d.elements = d.lost = 1;
    return d;
  }
  d.elements = size / width;
  for (i = 0; i < d.elements; ++i) {
    double p = number_at(element, x, i), q = number_at(element, y, i), apart;
    d.not_finite += !isfinite(p);
    d.top = isfinite(p) && fabs(p) > d.top ? fabs(p) : d.top;
    if (!memcmp(x + i * width, y + i * width, width) || p == q ||
        (isnan(p) && isnan(q))) {
      ++d.equal;
      continue;
    }
    apart = fabs(p - q);
    if (isfinite(p) && !isfinite(q))
      ++d.lost;
    else if (isfinite(p) && apart > d.most)
      d.most = apart;
    *(step > 0 && apart < 1.5 * step ? &d.one : &d.more) += 1;
  }
  return d;
}

static void make_noise(OrtValue **in, size_t count) {
  uint32_t seed = 1;
  size_t bytes, i, k;
  float *data;
  for (i = 0; i < count; ++i) {
    if (element_of(in[i]) != 1)
      continue;
    check(ort->GetTensorSizeInBytes(in[i], &bytes));
    check(ort->GetTensorMutableData(in[i], (void **)&data));
    for (k = 0; k < bytes / sizeof(float); ++k) {
      seed = seed * 1664525u + 1013904223u;
      data[k] = nextafterf(data[k], seed >> 31 ? INFINITY : -INFINITY);
    }
  }
}

static void way(char *name, const char *path, Model *cpu, OrtValue **in,
                OrtValue **expected, char *steps, char **options,
                int num_options) {
  char *in_floats = "session.disable_quant_qdq=1", *end = steps;
  char *equals = strchr(name, '=');
  int is_npu = !strcmp(name, "npu"), is_floats = !strcmp(name, "floats");
  OrtValue *out[MOST];
  Model model = *cpu;
  size_t i;
  if (is_npu)
    model = open_model(path, 1, options, num_options, NULL);
  else if (is_floats)
    model = open_model(path, 0, &in_floats, 1, NULL);
  else if (equals) {
    model = open_model(equals + 1, 0, NULL, 0, NULL);
    make_noise(in, cpu->num_inputs);
    *equals = 0;
  }
  check(run(&model, in, out));
  for (i = 0; i < cpu->num_outputs; ++i) {
    double step = end && *end && *end != '-' ? strtod(end, NULL) : 0;
    Difference d = compare(expected[i], out[i], step);
    printf("%s %d type %d elements %zu equal %zu one %zu more %zu lost %zu "
           "not_finite %zu most %.9g top %.9g\n",
           name, (int)i, element_of(expected[i]), d.elements, d.equal, d.one,
           d.more, d.lost, d.not_finite, d.most, d.top);
    end = end ? strchr(end, ',') : NULL;
    end = end ? end + 1 : NULL;
  }
  release(out, cpu->num_outputs);
  if (model.session != cpu->session)
    close_model(&model);
}

int main(int argc, char **argv) {
  OrtValue *in[MOST], *expected[MOST];
  char *name;
  size_t i;
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc < 5)
    return fprintf(stderr, "usage: see compare.c\n"), 2;
  check(ort->CreateEnv(3, "compare", &env));
  check(ort->GetAllocatorWithDefaultOptions(&memory));
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", argv[2]));
  Model cpu = open_model(argv[1], 0, NULL, 0, NULL);
  for (i = 0; i < cpu.num_inputs; ++i)
    in[i] = random_input(cpu.session, i, 1, 64, (uint32_t)i + 1);
  check(run(&cpu, in, expected));
  printf("the CPU runs it\n");
  fflush(stdout);
  for (name = strtok(argv[4], ","); name; name = strtok(NULL, ","))
    way(name, argv[1], &cpu, in, expected, argv[3], argv + 5, argc - 5);
  release(expected, cpu.num_outputs);
  release(in, cpu.num_inputs);
  close_model(&cpu);
  check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
  ort->ReleaseEnv(env);
  return 0;
}
