/* A program around ONNX Runtime, for provider.py:

     host threads MODEL LIBRARY THREADS RUNS [key=value ...]
       runs a model from several threads in two sessions, and compares every
       output with the CPU's; then again after the library was unloaded
     host race MODEL LIBRARY [key=value ...]
       writes to the inputs of a model while it runs, which must be seen where
       a sanitizer looks for such things
     host shapes MODEL LIBRARY MOST [key=value ...]
       runs a model with an open first axis of 1, 2, ... MOST, then of 1 again
     host time MODEL LIBRARY RUNS [key=value ...]
       the least milliseconds of a run
     host profile MODEL LIBRARY PREFIX [key=value ...]
       runs it twice while ONNX Runtime profiles, and prints the file's name
     host replace MODEL LIBRARY NAME [key=value ...]
       gives zeros for the constant NAME, which has the first input's shape
     host damaged MODEL LIBRARY PART FIRST LAST [key=value ...]
       puts the files PART.FIRST to PART.LAST in the place of PART, which a
       context of MODEL names, one after the other; what becomes of each
*/
#include "test/onnxruntime/model.h"
#include <pthread.h>
#include <time.h>

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

static void *scribble(void *user) {
  volatile float *data = user;
  int i;
  for (i = 0; i < 50000000; ++i)
    data[0] = (float)i;
  return NULL;
}

static void race(const char *path, const char *library, char **options,
                 int num_options) {
  OrtValue *in[MOST], *out[MOST];
  pthread_t other;
  void *data;
  int r;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  Model npu = open_model(path, 1, options, num_options, NULL);
  in[0] = random_input(npu.session, 0, 1, 1, 1);
  check(ort->GetTensorMutableData(in[0], &data));
  if (pthread_create(&other, NULL, scribble, data))
    exit(1);
  for (r = 0; r < 50; ++r) {
    check(run(&npu, in, out));
    release(out, npu.num_outputs);
  }
  pthread_join(other, NULL);
  close_model(&npu);
  release(in, 1);
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

static void copy_file(const char *from, const char *to) {
  char block[65536];
  size_t size;
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  if (!in || !out)
    exit((perror(from), 1));
  while ((size = fread(block, 1, sizeof block, in)))
    if (fwrite(block, 1, size, out) != size)
      exit((perror(to), 1));
  fclose(in);
  if (fclose(out))
    exit((perror(to), 1));
}

/* A line for a file: its number, and "refused", "stopped", "equal" or "other",
   with the message of the first two. */
static void damaged(const char *path, const char *library, const char *part,
                    int first, int last, char **options, int num_options) {
  OrtValue *in[MOST], *expected[MOST], *out[MOST];
  size_t i;
  int n;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  Model good = open_model(path, 1, options, num_options, NULL);
  for (i = 0; i < good.num_inputs; ++i)
    in[i] = random_input(good.session, i, 1, 4, 1);
  check(run(&good, in, expected));
  for (n = first; n <= last; ++n) {
    char name[4096];
    Model bad;
    OrtStatus *status;
    snprintf(name, sizeof name, "%s.%d", part, n);
    copy_file(name, part);
    if ((status = try_open(path, 1, options, num_options, NULL, &bad))) {
      printf("%d: refused: %s\n", n, ort->GetErrorMessage(status));
      ort->ReleaseStatus(status);
      continue;
    }
    if ((status = run(&bad, in, out))) {
      printf("%d: stopped: %s\n", n, ort->GetErrorMessage(status));
      ort->ReleaseStatus(status);
    } else {
      int is_equal = difference(expected, out, good.num_outputs) == 0;
      printf("%d: %s\n", n, is_equal ? "equal" : "other");
      release(out, good.num_outputs);
    }
    close_model(&bad);
  }
  release(expected, good.num_outputs);
  release(in, good.num_inputs);
  close_model(&good);
  check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
}

int main(int argc, char **argv) {
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc < 4)
    return fprintf(stderr, "usage: see host.c\n"), 2;
  check(ort->CreateEnv(3, "host", &env));
  check(ort->GetAllocatorWithDefaultOptions(&memory));
  if (!strcmp(argv[1], "threads") && argc > 5)
    threads(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]), argv + 6, argc - 6);
  else if (!strcmp(argv[1], "race"))
    race(argv[2], argv[3], argv + 4, argc - 4);
  else if (!strcmp(argv[1], "shapes") && argc > 4)
    shapes(argv[2], argv[3], atoi(argv[4]), argv + 5, argc - 5);
  else if (!strcmp(argv[1], "time") && argc > 4)
    timed(argv[2], argv[3], atoi(argv[4]), argv + 5, argc - 5);
  else if (!strcmp(argv[1], "profile") && argc > 4)
    profile(argv[2], argv[3], argv[4], argv + 5, argc - 5);
  else if (!strcmp(argv[1], "replace") && argc > 4)
    replace(argv[2], argv[3], argv[4], argv + 5, argc - 5);
  else if (!strcmp(argv[1], "damaged") && argc > 6)
    damaged(argv[2], argv[3], argv[4], atoi(argv[5]), atoi(argv[6]), argv + 7,
            argc - 7);
  else
    return 2;
  ort->ReleaseEnv(env);
  return 0;
}
