/* A program around ONNX Runtime, for provider.py:

     host threads MODEL LIBRARY THREADS RUNS [key=value ...]
       runs a model from several threads in two sessions, and compares every
       output with the CPU's; then again after the library was unloaded
     host shapes MODEL LIBRARY MOST [key=value ...]
       runs a model with an open first axis of 1, 2, ... MOST, then of 1 again
     host time MODEL LIBRARY RUNS [key=value ...]
       the least milliseconds of a run
     host profile MODEL LIBRARY PREFIX [key=value ...]
       runs it twice while ONNX Runtime profiles, and prints the file's name
     host replace MODEL LIBRARY NAME [key=value ...]
       gives zeros for the constant NAME, which has the first input's shape
*/
#include "examples/onnxruntime/inputs.h"
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { MOST = 32 };

typedef struct {
  OrtSession *session;
  char *inputs[MOST], *outputs[MOST];
  size_t num_inputs, num_outputs;
} Model;

/* With a NULL library the CPU alone. */
static Model open_model(const char *path, int with_npu, char **options,
                        int num_options, const char *profile) {
  const char *keys[MOST], *values[MOST];
  char *kept[MOST];
  const OrtEpDevice *const *devices, *npu = NULL;
  OrtSessionOptions *how;
  Model model;
  size_t num_devices, num_keys = 0, i;
  int a;
  memset(&model, 0, sizeof model);
  check(ort->CreateSessionOptions(&how));
  check(ort->SetIntraOpNumThreads(how, 1));
  if (profile)
    check(ort->EnableProfiling(how, profile));
  for (a = 0; with_npu && a < num_options; ++a) {
    char *equals = strchr(options[a], '=');
    char *key = strndup(options[a], (size_t)(equals - options[a]));
    if (strchr(key, '.'))
      check(ort->AddSessionConfigEntry(how, key, equals + 1));
    else
      keys[num_keys] = key, values[num_keys++] = equals + 1;
    kept[a] = key;
  }
  if (with_npu) {
    check(ort->GetEpDevices(env, &devices, &num_devices));
    for (i = 0; i < num_devices; ++i)
      if (!strcmp(ort->EpDevice_EpName(devices[i]), "YarrowExecutionProvider"))
        npu = devices[i];
    check(ort->SessionOptionsAppendExecutionProvider_V2(how, env, &npu, 1, keys,
                                                        values, num_keys));
  }
  check(ort->CreateSession(env, path, how, &model.session));
  ort->ReleaseSessionOptions(how);
  for (a = 0; with_npu && a < num_options; ++a)
    free(kept[a]);
  check(ort->SessionGetInputCount(model.session, &model.num_inputs));
  check(ort->SessionGetOutputCount(model.session, &model.num_outputs));
  for (i = 0; i < model.num_inputs; ++i)
    check(ort->SessionGetInputName(model.session, i, memory, &model.inputs[i]));
  for (i = 0; i < model.num_outputs; ++i)
    check(
        ort->SessionGetOutputName(model.session, i, memory, &model.outputs[i]));
  return model;
}

static void close_model(Model *model) {
  size_t i;
  for (i = 0; i < model->num_inputs; ++i)
    check(ort->AllocatorFree(memory, model->inputs[i]));
  for (i = 0; i < model->num_outputs; ++i)
    check(ort->AllocatorFree(memory, model->outputs[i]));
  ort->ReleaseSession(model->session);
}

static OrtStatus *run(const Model *model, OrtValue **in, OrtValue **out) {
  memset(out, 0, sizeof(OrtValue *) * MOST);
  return ort->Run(model->session, NULL, (const char *const *)model->inputs,
                  (const OrtValue *const *)in, model->num_inputs,
                  (const char *const *)model->outputs, model->num_outputs, out);
}

static void release(OrtValue **values, size_t count) {
  while (count--)
    ort->ReleaseValue(values[count]);
}

/* The largest difference of floats; other tensors are compared by bytes. */
static double difference(OrtValue **a, OrtValue **b, size_t count) {
  double most = 0;
  size_t i, k;
  for (i = 0; i < count; ++i) {
    size_t size, other;
    float *x, *y;
    check(ort->GetTensorSizeInBytes(a[i], &size));
    check(ort->GetTensorSizeInBytes(b[i], &other));
    check(ort->GetTensorMutableData(a[i], (void **)&x));
    check(ort->GetTensorMutableData(b[i], (void **)&y));
    if (size != other)
      return INFINITY;
    for (k = 0; k < size / sizeof(float); ++k)
      if (!(fabs(x[k] - y[k]) <= most))
        most = isnan(x[k] - y[k]) ? INFINITY : fabs(x[k] - y[k]);
  }
  return most;
}

typedef struct {
  const Model *npu, *cpu;
  int runs, seed;
  double most;
} Work;

static void *work(void *user) {
  Work *w = user;
  OrtValue *in[MOST], *expected[MOST], *out[MOST];
  size_t i;
  int r;
  for (i = 0; i < w->npu->num_inputs; ++i)
    in[i] = random_input(w->npu->session, i, 1, 1,
                         (uint32_t)(w->seed * 31 + (int)i));
  check(run(w->cpu, in, expected));
  for (r = 0; r < w->runs; ++r) {
    check(run(w->npu, in, out));
    double d = difference(expected, out, w->npu->num_outputs);
    w->most = d > w->most ? d : w->most;
    release(out, w->npu->num_outputs);
  }
  release(expected, w->npu->num_outputs);
  release(in, w->npu->num_inputs);
  return NULL;
}

static int is_loaded(const char *name) {
  char line[4096];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    found |= strstr(line, name) != NULL;
  if (maps)
    fclose(maps);
  return found;
}

static void threads(const char *path, const char *library, int num_threads,
                    int runs, char **options, int num_options) {
  int round, t;
  for (round = 0; round < 2; ++round) {
    pthread_t ids[MOST];
    Work works[MOST];
    double most = 0;
    check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
    Model cpu = open_model(path, 0, NULL, 0, NULL);
    Model npu[2] = {open_model(path, 1, options, num_options, NULL),
                    open_model(path, 1, options, num_options, NULL)};
    for (t = 0; t < num_threads; ++t) {
      works[t] = (Work){&npu[t % 2], &cpu, runs / num_threads, t, 0};
      if (pthread_create(&ids[t], NULL, work, &works[t]))
        exit(1);
    }
    for (t = 0; t < num_threads; ++t) {
      pthread_join(ids[t], NULL);
      most = works[t].most > most ? works[t].most : most;
    }
    /* A thread that goes on must not keep the library. */
    works[0] = (Work){&npu[0], &cpu, 1, 77, most};
    work(&works[0]);
    most = works[0].most;
    close_model(&cpu);
    close_model(&npu[0]);
    close_model(&npu[1]);
    check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
    printf("difference %g, %s\n", most,
           is_loaded("libyarrow_onnxruntime") ? "still loaded" : "unloaded");
  }
}

static void shapes(const char *path, const char *library, int most,
                   char **options, int num_options) {
  int n;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  Model cpu = open_model(path, 0, NULL, 0, NULL);
  Model npu = open_model(path, 1, options, num_options, NULL);
  for (n = 1; n <= most + 1; ++n) {
    int64_t length = n > most ? 1 : n;
    OrtValue *in[MOST], *out[MOST], *expected[MOST];
    OrtStatus *status;
    size_t i;
    for (i = 0; i < npu.num_inputs; ++i)
      in[i] = random_input(npu.session, i, length, length, (uint32_t)n);
    check(run(&cpu, in, expected));
    status = run(&npu, in, out);
    if (status) {
      printf("%d: %s\n", (int)length, ort->GetErrorMessage(status));
      ort->ReleaseStatus(status);
    } else {
      printf("%d: difference %g\n", (int)length,
             difference(expected, out, npu.num_outputs));
      release(out, npu.num_outputs);
    }
    release(expected, npu.num_outputs);
    release(in, npu.num_inputs);
  }
  close_model(&cpu);
  close_model(&npu);
  check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void timed(const char *path, const char *library, int runs,
                  char **options, int num_options) {
  OrtValue *in[MOST], *out[MOST];
  double least = INFINITY, begin;
  size_t i;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  begin = now();
  Model npu = open_model(path, 1, options, num_options, NULL);
  printf("session %.1f ms\n", now() - begin);
  for (i = 0; i < npu.num_inputs; ++i)
    in[i] = random_input(npu.session, i, 1, 64, 1);
  while (runs--) {
    begin = now();
    check(run(&npu, in, out));
    least = fmin(least, now() - begin);
    release(out, npu.num_outputs);
  }
  printf("run %.3f ms\n", least);
  release(in, npu.num_inputs);
  close_model(&npu);
  check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
}

static void profile(const char *path, const char *library, const char *prefix,
                    char **options, int num_options) {
  OrtValue *in[MOST], *out[MOST];
  char *file;
  size_t i;
  int r;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  Model npu = open_model(path, 1, options, num_options, prefix);
  for (i = 0; i < npu.num_inputs; ++i)
    in[i] = random_input(npu.session, i, 1, 64, 1);
  for (r = 0; r < 2; ++r) {
    check(run(&npu, in, out));
    release(out, npu.num_outputs);
  }
  check(ort->SessionEndProfiling(npu.session, memory, &file));
  printf("%s\n", file);
  check(ort->AllocatorFree(memory, file));
  release(in, npu.num_inputs);
  close_model(&npu);
  check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
}

static void replace(const char *path, const char *library, const char *name,
                    char **options, int num_options) {
  OrtValue *in[MOST], *out[MOST];
  size_t bytes;
  void *data;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  Model npu = open_model(path, 1, options, num_options, NULL);
  in[0] = random_input(npu.session, 0, 1, 1, 1);
  in[1] = random_input(npu.session, 0, 1, 1, 2);
  check(ort->GetTensorSizeInBytes(in[1], &bytes));
  check(ort->GetTensorMutableData(in[1], &data));
  memset(data, 0, bytes);
  npu.inputs[npu.num_inputs++] = strdup(name);
  check(run(&npu, in, out));
  printf("it runs\n");
}

int main(int argc, char **argv) {
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc < 5)
    return fprintf(stderr, "usage: see host.c\n"), 2;
  check(ort->CreateEnv(3, "host", &env));
  check(ort->GetAllocatorWithDefaultOptions(&memory));
  if (!strcmp(argv[1], "threads") && argc > 5)
    threads(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]), argv + 6, argc - 6);
  else if (!strcmp(argv[1], "shapes"))
    shapes(argv[2], argv[3], atoi(argv[4]), argv + 5, argc - 5);
  else if (!strcmp(argv[1], "time"))
    timed(argv[2], argv[3], atoi(argv[4]), argv + 5, argc - 5);
  else if (!strcmp(argv[1], "profile"))
    profile(argv[2], argv[3], argv[4], argv + 5, argc - 5);
  else if (!strcmp(argv[1], "replace"))
    replace(argv[2], argv[3], argv[4], argv + 5, argc - 5);
  else
    return 2;
  ort->ReleaseEnv(env);
  return 0;
}
