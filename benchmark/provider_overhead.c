/* A compiled part in a session of ONNX Runtime, and the same executable through
   the C interface, in turns in one process; for provider_overhead.py:

     overhead CONTEXT PART LIBRARY RUNS

   CONTEXT: a model whose only node stands for PART, the executable. Prints the
   least milliseconds of a run, and the largest difference of outputs. */
#include "runtime/include/yarrow/yarrow.h"
#include "test/onnxruntime/model.h"
#include <time.h>

/* Time of the processor: both sides compute on one thread, and other programs
   do not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void must(yarrow_status status) {
  if (status != YARROW_OK)
    fprintf(stderr, "overhead: %s", yarrow_last_error()), exit(1);
}

static size_t width_of(const yarrow_tensor *t) {
  static const size_t widths[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4};
  return widths[t->type];
}

static float real_at(const yarrow_tensor *t, const void *data, size_t i) {
  long stored = 0;
  switch (t->type) {
  case YARROW_FLOAT32:
    return ((const float *)data)[i];
  case YARROW_INT8:
    stored = ((const int8_t *)data)[i];
    break;
  case YARROW_UINT8:
    stored = ((const uint8_t *)data)[i];
    break;
  case YARROW_INT16:
    stored = ((const int16_t *)data)[i];
    break;
  case YARROW_UINT16:
    stored = ((const uint16_t *)data)[i];
    break;
  default:
    fprintf(stderr, "overhead: %s has the type %d\n", t->name, (int)t->type);
    exit(1);
  }
  return (float)(stored + t->zero_point) * (1.0f / t->scale);
}

/* As a program around the C interface would do it. */
static void *to_stored(const yarrow_tensor *t, const float *from) {
  int is_signed = t->type == YARROW_INT8 || t->type == YARROW_INT16;
  size_t width = width_of(t), i;
  float scale = 1.0f / t->scale;
  double least = is_signed ? -(double)(1 << (8 * width - 1)) : 0;
  double most = least + (double)(1u << (8 * width % 32)) - 1;
  char *data = malloc(t->size_bytes);
  if (t->type == YARROW_FLOAT32)
    return memcpy(data, from, t->size_bytes);
  for (i = 0; i < t->size_bytes / width; ++i) {
    double q = nearbyintf(from[i] / scale) - (float)t->zero_point;
    long whole = (long)(q < least ? least : q > most ? most : q);
    memcpy(data + i * width, &whole, width); /* little endian */
  }
  return data;
}

static double most_different(const yarrow_tensor *t, const void *stored,
                             const float *real) {
  double most = 0;
  size_t i;
  for (i = 0; i < t->size_bytes / width_of(t); ++i)
    most = fmax(most, fabs(real_at(t, stored, i) - real[i]));
  return most;
}

int main(int argc, char **argv) {
  OrtValue *in[MOST], *out[MOST];
  yarrow_executable *executable;
  yarrow_session *session;
  yarrow_tensor input, output;
  double least[2] = {INFINITY, INFINITY}, begin, most = 0;
  int runs, r;
  float *real;
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc != 5 || (runs = atoi(argv[4])) < 1)
    return fprintf(stderr, "usage: see provider_overhead.c\n"), 2;
  check(ort->CreateEnv(3, "overhead", &env));
  check(ort->GetAllocatorWithDefaultOptions(&memory));
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", argv[3]));
  Model model = open_model(argv[1], 1, NULL, 0, NULL);
  must(yarrow_open(argv[2], &executable));
  must(yarrow_create_session(executable, NULL, &session));
  must(yarrow_input(executable, 0, &input));
  must(yarrow_output(executable, 0, &output));
  in[0] = random_input(model.session, 0, 1, 1, 1);
  check(ort->GetTensorMutableData(in[0], (void **)&real));
  void *stored = to_stored(&input, real), *result = malloc(output.size_bytes);
  for (r = 0; r < runs; ++r) {
    begin = now();
    check(run(&model, in, out));
    least[0] = fmin(least[0], now() - begin);
    begin = now();
    must(yarrow_set_input(session, 0, stored, input.size_bytes));
    must(yarrow_run(session));
    must(yarrow_get_output(session, 0, result, output.size_bytes));
    least[1] = fmin(least[1], now() - begin);
    check(ort->GetTensorMutableData(out[0], (void **)&real));
    most = fmax(most, most_different(&output, result, real));
    release(out, model.num_outputs);
  }
  printf("session %.3f ms, interface %.3f ms, difference %g\n", least[0],
         least[1], most);
  free(stored), free(result);
  release(in, 1);
  yarrow_close_session(session);
  yarrow_close(executable);
  close_model(&model);
  check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
  ort->ReleaseEnv(env);
  return 0;
}
