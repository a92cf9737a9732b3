/*===- edges.c - A model through NNAPI's functions ------------------------===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* Finds the edges of a picture: a quantized convolution with the four Sobel  *|
|* filters, and the largest of the four at each place. Prints the edges, and  *|
|* what they take on each NPU:                                                *|
|*                                                                            *|
|*   edges                                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include <stdio.h>
#include <stdlib.h>
#include <yarrow/NeuralNetworks.h>

enum { HEIGHT = 24, WIDTH = 64, FILTERS = 4 };

/* Ends the program where something is refused; YARROW_NNAPI_LOG=stderr tells
   why. */
static void check(int result, const char *what) {
  if (result == ANEURALNETWORKS_NO_ERROR)
    return;
  fprintf(stderr, "edges: %s gives %d\n", what, result);
  exit(1);
}
#define CHECK(CALL) check(CALL, #CALL)

/* Operands have numbers in the order in which they are added. */
static uint32_t numOperands;

static uint32_t addOperand(ANeuralNetworksModel *model, int32_t code,
                           uint32_t rank, const uint32_t *dims, float scale,
                           int32_t zeroPoint) {
  ANeuralNetworksOperandType type = {code, rank, dims, scale, zeroPoint};
  CHECK(ANeuralNetworksModel_addOperand(model, &type));
  return numOperands++;
}

static uint32_t addInt(ANeuralNetworksModel *model, int32_t value) {
  uint32_t number = addOperand(model, ANEURALNETWORKS_INT32, 0, NULL, 0, 0);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)number, &value,
                                             sizeof value));
  return number;
}

/* Sobel's filters to the right, left, down and up. The stored value 128 is 0,
   and one step is 1. */
static uint32_t addFilters(ANeuralNetworksModel *model) {
  static const signed char sobel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  const uint32_t dims[] = {FILTERS, 3, 3, 1};
  uint8_t stored[FILTERS][3][3];
  uint32_t number = addOperand(model, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4,
                               dims, 1.0f, 128);
  int y, x;
  for (y = 0; y < 3; ++y)
    for (x = 0; x < 3; ++x) {
      stored[0][y][x] = (uint8_t)(128 + sobel[y][x]);
      stored[1][y][x] = (uint8_t)(128 - sobel[y][x]);
      stored[2][y][x] = (uint8_t)(128 + sobel[x][y]);
      stored[3][y][x] = (uint8_t)(128 - sobel[x][y]);
    }
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)number, stored,
                                             sizeof stored));
  return number;
}

static uint32_t addBias(ANeuralNetworksModel *model, float scale) {
  const uint32_t dims[] = {FILTERS};
  const int32_t zeros[FILTERS] = {0};
  uint32_t number =
      addOperand(model, ANEURALNETWORKS_TENSOR_INT32, 1, dims, scale, 0);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)number, zeros,
                                             sizeof zeros));
  return number;
}

static uint32_t addAxis(ANeuralNetworksModel *model, int32_t axis) {
  const uint32_t dims[] = {1};
  uint32_t number =
      addOperand(model, ANEURALNETWORKS_TENSOR_INT32, 1, dims, 0, 0);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)number, &axis,
                                             sizeof axis));
  return number;
}

static uint32_t addFalse(ANeuralNetworksModel *model) {
  const bool no = false;
  uint32_t number = addOperand(model, ANEURALNETWORKS_BOOL, 0, NULL, 0, 0);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)number, &no,
                                             sizeof no));
  return number;
}

static ANeuralNetworksModel *makeModel(void) {
  const int32_t code = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  const uint32_t picture[] = {1, HEIGHT, WIDTH, 1},
                 slopes[] = {1, HEIGHT, WIDTH, FILTERS},
                 edges[] = {1, HEIGHT, WIDTH};
  const float scale = 1.0f / 255, slopeScale = 4.0f / 255;
  ANeuralNetworksModel *model;
  uint32_t conv[7], reduce[3], between, result;

  CHECK(ANeuralNetworksModel_create(&model));
  conv[0] = addOperand(model, code, 4, picture, scale, 0);
  conv[1] = addFilters(model);
  conv[2] = addBias(model, scale);
  conv[3] = addInt(model, ANEURALNETWORKS_PADDING_SAME);
  conv[4] = addInt(model, 1); /* strides */
  conv[5] = addInt(model, 1);
  conv[6] = addInt(model, ANEURALNETWORKS_FUSED_RELU);
  between = addOperand(model, code, 4, slopes, slopeScale, 0);
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7,
                                          conv, 1, &between));
  reduce[0] = between;
  reduce[1] = addAxis(model, 3);
  reduce[2] = addFalse(model);
  result = addOperand(model, code, 3, edges, slopeScale, 0);
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_REDUCE_MAX, 3,
                                          reduce, 1, &result));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, conv, 1,
                                                      &result));
  CHECK(ANeuralNetworksModel_finish(model));
  return model;
}

/* A bright disc and a grey box on black. */
static void draw(uint8_t picture[HEIGHT][WIDTH]) {
  int y, x;
  for (y = 0; y < HEIGHT; ++y)
    for (x = 0; x < WIDTH; ++x) {
      int dy = 2 * (y - 12), dx = x - 20;
      int isDisc = dy * dy + dx * dx < 16 * 16;
      int isBox = y >= 6 && y < 18 && x >= 44 && x < 58;
      picture[y][x] = (uint8_t)(isDisc ? 255 : isBox ? 120 : 0);
    }
}

/* Nanoseconds on the NPU, UINT64_MAX where there is none. */
static uint64_t run(ANeuralNetworksModel *model,
                    const ANeuralNetworksDevice *device,
                    uint8_t picture[HEIGHT][WIDTH],
                    uint8_t edges[HEIGHT][WIDTH]) {
  ANeuralNetworksCompilation *compilation;
  ANeuralNetworksExecution *execution;
  uint64_t nanoseconds;
  CHECK(ANeuralNetworksCompilation_createForDevices(model, &device, 1,
                                                    &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));
  CHECK(ANeuralNetworksExecution_create(compilation, &execution));
  CHECK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
  CHECK(ANeuralNetworksExecution_setInput(execution, 0, NULL, picture,
                                          HEIGHT * WIDTH));
  CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, edges,
                                           HEIGHT * WIDTH));
  CHECK(ANeuralNetworksExecution_compute(execution));
  CHECK(ANeuralNetworksExecution_getDuration(
      execution, ANEURALNETWORKS_DURATION_ON_HARDWARE, &nanoseconds));
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksCompilation_free(compilation);
  return nanoseconds;
}

static void show(uint8_t edges[HEIGHT][WIDTH]) {
  int y, x;
  for (y = 0; y < HEIGHT; ++y) {
    char line[WIDTH + 1] = {0};
    for (x = 0; x < WIDTH; ++x)
      line[x] = " .:-=+*#%@"[edges[y][x] * 10 / 256];
    x = WIDTH;
    while (x > 0 && line[x - 1] == ' ')
      line[--x] = 0;
    puts(line);
  }
}

int main(void) {
  static uint8_t picture[HEIGHT][WIDTH], edges[HEIGHT][WIDTH];
  ANeuralNetworksModel *model = makeModel();
  uint32_t numDevices, i;
  draw(picture);
  CHECK(ANeuralNetworks_getDeviceCount(&numDevices));
  for (i = 0; i < numDevices; ++i) {
    ANeuralNetworksDevice *device;
    const char *name;
    uint64_t nanoseconds;
    CHECK(ANeuralNetworks_getDevice(i, &device));
    CHECK(ANeuralNetworksDevice_getName(device, &name));
    nanoseconds = run(model, device, picture, edges);
    if (i == 0)
      show(edges);
    if (nanoseconds != UINT64_MAX)
      printf("%-18s %6.2f us\n", name, (double)nanoseconds / 1000);
  }
  ANeuralNetworksModel_free(model);
  return 0;
}
