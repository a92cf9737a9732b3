/*===- run_executable.c - What an executable gives, on any machine
-----------===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* Runs an executable on inputs that it draws, the same everywhere, and       *|
|* prints the cycles and all bytes of the outputs. What two machines print    *|
|* must be equal (compare.py).                                                *|
|*                                                                            *|
|*   run_executable aipu.bin                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include <yarrow/yarrow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

/* The upper bits of a linear congruential generator. */
static uint32_t draw(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

/* Reals from -1 to 1, and any bytes where integers are stored. */
static void fill(const yarrow_tensor *tensor, unsigned char *data) {
  size_t i;
  if (tensor->type == YARROW_FLOAT32) {
    for (i = 0; i + sizeof(float) <= tensor->size_bytes; i += sizeof(float)) {
      float value = (float)((int32_t)draw() / 2147483648.0);
      memcpy(data + i, &value, sizeof value);
    }
    return;
  }
  for (i = 0; i < tensor->size_bytes; ++i)
    data[i] = (unsigned char)(draw() >> 24);
  /* Truth values are 0 and 1. */
  for (i = 0; tensor->type == YARROW_BOOL && i < tensor->size_bytes; ++i)
    data[i] &= 1;
}

static int failed(void) {
  fputs(yarrow_last_error(), stderr);
  return 1;
}

int main(int argc, char **argv) {
  yarrow_executable *model;
  yarrow_session *session;
  yarrow_options options = YARROW_DEFAULT_OPTIONS;
  yarrow_tensor tensor;
  size_t i, k;
  options.timed = 1;
  if (argc != 2)
    return fprintf(stderr, "run_executable aipu.bin\n"), 2;
  if (yarrow_open(argv[1], &model) ||
      yarrow_create_session(model, &options, &session))
    return failed();
  for (i = 0; i < yarrow_num_inputs(model); ++i) {
    unsigned char *data;
    yarrow_input(model, i, &tensor);
    data = malloc(tensor.size_bytes);
    if (!data)
      return 1;
    fill(&tensor, data);
    if (yarrow_set_input(session, i, data, tensor.size_bytes))
      return failed();
    free(data);
  }
  if (yarrow_run(session))
    return failed();
  printf("cycles %llu\ninstructions %llu\n",
         (unsigned long long)yarrow_cycles(session),
         (unsigned long long)yarrow_instructions(session));
  for (i = 0; i < yarrow_num_outputs(model); ++i) {
    unsigned char *data;
    yarrow_output(model, i, &tensor);
    data = malloc(tensor.size_bytes);
    if (!data)
      return 1;
    if (yarrow_get_output(session, i, data, tensor.size_bytes))
      return failed();
    printf("%s ", tensor.name);
    for (k = 0; k < tensor.size_bytes; ++k)
      printf("%02x", data[k]);
    printf("\n");
    free(data);
  }
  yarrow_close_session(session);
  yarrow_close(model);
  return 0;
}
