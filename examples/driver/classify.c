/*===- classify.c - A network through the Compass driver
 * ----------------------===
 *
 * Part of Yarrow, under the Apache License v2.0.
 *
 *   classify aipu.bin image.bin
 *
 * Prints the outputs of a network of one input as real numbers. The image holds
 * the input as it is stored: so many bytes, quantized by its scale.
 *
 *===----------------------------------------------------------------------===*/
#include <compass.h>

#include <stdio.h>
#include <stdlib.h>

enum { INT8 = 3, UINT8 = 2 };

static aipu_ctx_handle_t *context;

/* Ends the program with what the driver says. */
static void check(aipu_status_t status, const char *what) {
  const char *message = "unknown";
  if (status == 0)
    return;
  if (context)
    aipu_get_error_message(context, status, &message);
  fprintf(stderr, "%s: %s\n", what, message);
  exit(1);
}

static void *allocated(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    exit(1);
  return memory;
}

static void *read_image(const char *path, size_t bytes) {
  void *image = allocated(bytes);
  FILE *file = fopen(path, "rb");
  if (!file || fread(image, 1, bytes, file) != bytes) {
    fprintf(stderr, "%s: %zu bytes expected\n", path, bytes);
    exit(1);
  }
  fclose(file);
  return image;
}

static void print_output(uint64_t job, uint32_t index,
                         const aipu_tensor_desc_t *output) {
  unsigned char *data = allocated(output->size);
  check(aipu_get_tensor(context, job, AIPU_TENSOR_TYPE_OUTPUT, index, data),
        "aipu_get_tensor");
  for (uint32_t i = 0; i < output->size; ++i) {
    int stored = output->data_type == INT8 ? (signed char)data[i] : data[i];
    printf("%s%.3f", i ? " " : "",
           (double)(stored + output->zero_point) / (double)output->scale);
  }
  printf("\n");
  free(data);
}

int main(int argc, char **argv) {
  uint64_t graph = 0, job = 0;
  uint32_t outputs = 0;
  aipu_tensor_desc_t input, output;
  void *image;
  if (argc != 3) {
    fprintf(stderr, "usage: classify aipu.bin image.bin\n");
    return 2;
  }
  check(aipu_init_context(&context), "aipu_init_context");
  check(aipu_load_graph(context, argv[1], &graph, NULL), argv[1]);
  check(aipu_get_tensor_descriptor(context, graph, AIPU_TENSOR_TYPE_INPUT, 0,
                                   &input),
        "aipu_get_tensor_descriptor");
  check(aipu_create_job(context, graph, &job, NULL), "aipu_create_job");
  image = read_image(argv[2], input.size);
  check(aipu_load_tensor(context, job, 0, image), "aipu_load_tensor");
  check(aipu_finish_job(context, job, -1), "aipu_finish_job");
  check(
      aipu_get_tensor_count(context, graph, AIPU_TENSOR_TYPE_OUTPUT, &outputs),
      "aipu_get_tensor_count");
  for (uint32_t i = 0; i < outputs; ++i) {
    check(aipu_get_tensor_descriptor(context, graph, AIPU_TENSOR_TYPE_OUTPUT, i,
                                     &output),
          "aipu_get_tensor_descriptor");
    if (output.data_type != INT8 && output.data_type != UINT8) {
      fprintf(stderr, "output %u does not have 8 bits\n", (unsigned)i);
      return 1;
    }
    print_output(job, i, &output);
  }
  free(image);
  check(aipu_clean_job(context, job), "aipu_clean_job");
  check(aipu_unload_graph(context, graph), "aipu_unload_graph");
  check(aipu_deinit_context(context), "aipu_deinit_context");
  return 0;
}
