/*===- SimulatorApi.h - A simulator as C functions ------------------------===
 *
 * Part of Yarrow, under the Apache License v2.0.
 *
 * What the public Compass user-mode driver and a simulator in a shared library
 * agree on, with the layouts of LP64 hosts. The driver loads
 * libaipu_simulator_x2.so (or _x3p, _x3s), calls
 *
 *   const yarrow_sim_api *api = sim_aipu_api_init();
 *   void *device = api->create(&config, &memory);
 *   api->write_register(device, 0x0C, chain);
 *   ...
 *   api->destroy(device);
 *
 * and owns all memory: the simulator reads and writes it with the functions of
 * yarrow_sim_memory. api/driver/ is the simulator's side of this interface,
 * runtime/LibraryDevice.h a client. The driver's binaries determine names and
 * order of the members.
 *
 * The header is C, so that applications and other simulators can include it.
 *
 *===----------------------------------------------------------------------===*/
#ifndef YARROW_ISA_SIMULATORAPI_H
#define YARROW_ISA_SIMULATORAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a file's name, its end included. */
#define YARROW_SIM_PATH_BYTES 4096

/** The driver's memory. Addresses are absolute; the driver has several regions
 *  of 4 GiB. The structure stays as it is as long as the device. */
typedef struct yarrow_sim_memory {
  void *context; /**< Last argument of every function. */
  /** The number of bytes, or -1 unless all of them are in one buffer. */
  int64_t (*read)(uint64_t address, void *to, size_t bytes, void *context);
  int64_t (*write)(uint64_t address, const void *from, size_t bytes,
                   void *context);
  int64_t (*zeroize)(uint64_t address, size_t bytes, void *context);
  size_t (*size)(void *context);
  /** True if the address is in no buffer. */
  bool (*invalid)(uint64_t address, void *context);
  /** False if it is in none; else the buffer. Writes the low 32 bits of the
   *  size only. */
  bool (*get_info)(uint64_t address, uint64_t *base, size_t *size,
                   void *context);
} yarrow_sim_memory;

/** Values of yarrow_sim_config.code. From version 3.2 on the top bit is set,
 * and four bits each are the numbers of clusters, cores, tensor engines of a
 * core and TECs of a core, from bit 12 down. */
enum {
  YARROW_SIM_X2_1204 = 1,
  YARROW_SIM_X2_1204MP3 = 2,
};

/** Values of yarrow_sim_config.perf_mode. */
enum {
  YARROW_SIM_PERF_NONE = 0,
  YARROW_SIM_PERF_FAST = 1,
  YARROW_SIM_PERF_EVAL = 2,
};

typedef struct yarrow_sim_config {
  int32_t code;
  uint8_t enable_avx;
  uint8_t enable_calloc;
  int64_t max_packets; /**< -1: no limit; 0 as well. */
  uint32_t gm_bytes;   /**< Of global memory, which this simulator has not. */
  char log_path[YARROW_SIM_PATH_BYTES]; /**< A folder, or a file. */
  int32_t log_level;
  uint8_t log_verbose; /**< On the console, too. */
  uint8_t reserved[3];
  char plugin_path[YARROW_SIM_PATH_BYTES];
  char graph_path[YARROW_SIM_PATH_BYTES];
  uint8_t print_subgraphs;
  int8_t float_mode;
  int32_t perf_mode;
  char perf_path[YARROW_SIM_PATH_BYTES]; /**< Of the report of a profile. */
  uint32_t clock_mhz;
  uint32_t ddr_read_latency, ddr_write_latency;
  uint32_t ddr_bits; /**< Of its bus. */
  uint8_t events[17];
} yarrow_sim_config;

/** Events of a handler. */
enum { YARROW_SIM_GRID_END = 0 };
typedef void (*yarrow_sim_event_handler)(uint32_t event, uint64_t value,
                                         void *context);

/** Functions that return int are 1 when done and not above 0 otherwise. */
typedef struct yarrow_sim_api {
  /** Null if there is no such device. */
  void *(*create)(const yarrow_sim_config *config,
                  const yarrow_sim_memory *memory);
  void *(*create1)(void *unknown);
  int (*destroy)(void *device);
  int (*read_register)(void *device, uint32_t address, uint32_t *value);
  int (*write_register)(void *device, uint32_t address, uint32_t value);
  void (*set_debugger)(void *device, void *debugger);
  int (*version)(void *device);
  void (*enable_profiling)(void *device, bool on);
  void (*dump_profiling)(void *device);
  void (*set_event_handler)(void *device, yarrow_sim_event_handler handler,
                            void *context);
} yarrow_sim_api;

/** The one symbol of such a library. */
const yarrow_sim_api *
sim_aipu_api_init(void); /* NOLINT(readability-identifier-naming) */

#ifdef __cplusplus
} // extern "C"

// The layouts that the driver's binaries have.
static_assert(sizeof(void *) == 8, "layouts are those of LP64 hosts");
static_assert(sizeof(yarrow_sim_memory) == 56);
static_assert(offsetof(yarrow_sim_config, gm_bytes) == 16);
static_assert(offsetof(yarrow_sim_config, log_path) == 20);
static_assert(offsetof(yarrow_sim_config, log_level) == 4116);
static_assert(offsetof(yarrow_sim_config, plugin_path) == 4124);
static_assert(offsetof(yarrow_sim_config, float_mode) == 12317);
static_assert(offsetof(yarrow_sim_config, perf_path) == 12324);
static_assert(offsetof(yarrow_sim_config, ddr_bits) == 16432);
static_assert(sizeof(yarrow_sim_config) == 16456);
static_assert(sizeof(yarrow_sim_api) == 80);
#endif

#endif /* YARROW_ISA_SIMULATORAPI_H */
