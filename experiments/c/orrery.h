#ifndef ORRERY_H
#define ORRERY_H

#include <stddef.h>
#include <stdint.h>

// The C interface of Orrery, C11: what the command line computes, for arrays in memory.
//
// Settings are a text: words as on the command line, "encoding=rope base=5e5", or a JSON object with
// the same keys, {"encoding": "rope", "base": 5e5}, which also takes values with spaces. NULL and ""
// are the defaults. `orrery_describe` lists keys, ranges and defaults.
//
// Every function but the plain accessors returns a status. Unless it is ORRERY_OK nothing was
// written to the caller's memory but what a progress callback did, and orrery_error_text says why:
// the value, the rule it breaks, the remedy. No function throws, prints, ends the program, or leaves
// a thread behind. Functions may be called from several threads at once, and with the same
// orrery_encoding; a result may be read by several.

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ORRERY_API __attribute__((visibility("default")))
#else
#define ORRERY_API
#endif

#define ORRERY_VERSION_MAJOR 0
#define ORRERY_VERSION_MINOR 1
#define ORRERY_VERSION_PATCH 0

/// Raised whenever a program that was built against an older library would no longer work; the
/// number in the name of the shared library, liborrery.so.1.
#define ORRERY_ABI_VERSION 1

/// The same numbers as exit statuses of the program.
typedef enum orrery_status {
  ORRERY_OK = 0,
  ORRERY_BUG = 1,         ///< an assumption of the library's own is broken
  ORRERY_USAGE = 2,       ///< a setting, a key or a name
  ORRERY_DATA = 3,        ///< an array or the content of a file
  ORRERY_IO = 4,          ///< a file cannot be read, or there is too little memory
  ORRERY_NOT_FINITE = 5,  ///< a computation gave an infinity or a NaN
  ORRERY_STOPPED = 130    ///< by the progress callback
} orrery_status;

/// The types of numbers.
typedef enum orrery_type {
  ORRERY_F64 = 1,
  ORRERY_F32 = 2,
  ORRERY_F16 = 3,   ///< IEEE 754 binary16
  ORRERY_BF16 = 4,  ///< the upper half of a binary32
  ORRERY_I64 = 5,
  ORRERY_I32 = 6,
  ORRERY_I16 = 7,
  ORRERY_I8 = 8,
  ORRERY_U64 = 9,
  ORRERY_U32 = 10,
  ORRERY_U16 = 11,
  ORRERY_U8 = 12,
  ORRERY_BOOL = 13  ///< a byte, 0 or 1
} orrery_type;

#define ORRERY_MAX_RANK 4

/// An array in the memory of the caller, or of a result: any order, any strides, native endianness.
typedef struct orrery_array {
  size_t struct_size;  ///< sizeof(orrery_array), by which later versions know this one
  const char* name;  ///< what it is: "q", "positions"; of results what they are; may be NULL where
                     ///< a function takes one array
  void* data;        ///< its first element; inputs are only read
  int32_t type;      ///< orrery_type
  int32_t rank;      ///< 1 to ORRERY_MAX_RANK
  int64_t shape[ORRERY_MAX_RANK];
  int64_t strides[ORRERY_MAX_RANK];  ///< bytes from one element to the next, along each axis
} orrery_array;

/// How a long computation tells how far it is. NULL where one is taken: it tells nothing.
typedef struct orrery_progress {
  size_t struct_size;
  /// Called from the thread of the computation. fraction is in [0, 1], stage a short phrase. Any
  /// value but 0 stops the work, which then returns ORRERY_STOPPED.
  int (*update)(void* user, double fraction, const char* stage);
  void* user;
} orrery_progress;

/// "0.1.0".
ORRERY_API const char* orrery_version(void);
/// ORRERY_ABI_VERSION of the library, which the caller compares with that of the header.
ORRERY_API int orrery_abi_version(void);
/// Why the last call of this thread failed: "VALUE: RULE; REMEDY". Valid until the thread's next
/// call; "" after one that did not fail.
ORRERY_API const char* orrery_error_text(void);

// ---- Results ----------------------------------------------------------------------------------

/// What a computation found: a JSON text and named arrays.
typedef struct orrery_result orrery_result;

/// The JSON text, as the command prints it with --json. Valid as long as the result.
ORRERY_API const char* orrery_result_json(const orrery_result* result);
ORRERY_API size_t orrery_result_array_count(const orrery_result* result);
/// Describes an array whose numbers belong to the result: C order, f32 or f64 as computed.
ORRERY_API orrery_status orrery_result_array(const orrery_result* result, size_t index,
                                             orrery_array* array);
ORRERY_API void orrery_result_destroy(orrery_result* result);

// ---- What there is ----------------------------------------------------------------------------

/// JSON of `orrery list WHAT --json`: "all", "experiments", "encodings" or "presets".
ORRERY_API orrery_status orrery_list(const char* what, orrery_result** result);
/// JSON of `orrery describe NAME --json`: an experiment, an encoding or a preset.
ORRERY_API orrery_status orrery_describe(const char* name, orrery_result** result);

/// Adds the encodings of a plug-in (orrery help plugins) to this process, for good. Before any call
/// that reads names of encodings; ORRERY_USAGE after one.
ORRERY_API orrery_status orrery_load_plugin(const char* file);

// ---- Encodings --------------------------------------------------------------------------------

/// An encoding with its settings, made once and applied often: what a call then takes beside the
/// mathematics is a few microseconds.
typedef struct orrery_encoding orrery_encoding;

/// @param settings  as of `orrery run apply`
/// @param tables  what the encoding looks up, by the names that orrery_describe lists; those that
///                are not given are drawn by the setting "seed"
ORRERY_API orrery_status orrery_encoding_create(const char* settings, const orrery_array* tables,
                                                size_t table_count, orrery_encoding** encoding);
ORRERY_API void orrery_encoding_destroy(orrery_encoding* encoding);
/// JSON: "settings", every one that is read with its value, and "arithmetic", "fp64" or "fp32", in
/// which it is computed.
ORRERY_API orrery_status orrery_encoding_settings(const orrery_encoding* encoding,
                                                  orrery_result** result);

/// x with the encoding applied at its positions, as `orrery run apply` does: x + p, or rotated queries
/// (side=keys: keys). Computed in the setting "precision" and rounded once, to the type of out.
/// @param x          [N, d], [heads, N, d] or [batch, heads, N, d]
/// @param positions  [N] whole numbers; NULL: 0 to N − 1
/// @param out        of the shape of x, f64, f32, f16 or bf16. May be x
ORRERY_API orrery_status orrery_apply(const orrery_encoding* encoding, const orrery_array* x,
                                      const orrery_array* positions, const orrery_array* out);

/// What the encoding adds to the logits of every content: ALiBi's lines, T5's table. fp64 arithmetic
/// where the setting "precision" has it. ORRERY_USAGE for one whose terms depend on contents.
/// @param m, n  positions of queries and keys, [N_q] and [N_k]
/// @param out   [heads, N_q, N_k] of the setting "heads", f64, f32, f16 or bf16
ORRERY_API orrery_status orrery_bias(const orrery_encoding* encoding, const orrery_array* m,
                                     const orrery_array* n, const orrery_array* out);

/// The constants of the encoding, as `orrery run apply` without x prints them: arrays "theta" (rad per
/// token) and "wavelength", or "slope", or the rows of its table that positions look up.
/// @param positions  for rows of a table; NULL: 0 to 9
ORRERY_API orrery_status orrery_constants(const orrery_encoding* encoding,
                                          const orrery_array* positions, orrery_result** result);

// ---- Models -----------------------------------------------------------------------------------

/// What a model does with positions, layer by layer: the positions.json of `orrery run
/// model_layers`.
/// @param model   a config.json, params.json or .gguf, a folder with one, or the text of a
///                config.json, which begins with "{"
/// @param length  of the sequence, by which some scalings choose; 0: that of the training
ORRERY_API orrery_status orrery_positions(const char* model, int64_t length,
                                          orrery_result** result);

/// Which rope, bias or mistake explains arrays: the identify.json of `orrery run identify`. Settings
/// and inputs are those of that experiment; `expect` may be the text of a configuration, as of
/// orrery_positions, and there is `threads`.
/// @param expected  a rope that should explain them, in place of `expect`; or NULL
/// @param inputs    by name: before and after; or inv_freq; or cos and sin; or bias; or q, k and
///                  logits. And positions, [N] or [N, axes]
ORRERY_API orrery_status orrery_identify(const char* settings, const orrery_encoding* expected,
                                         const orrery_array* inputs, size_t input_count,
                                         orrery_result** result);

// ---- Experiments ------------------------------------------------------------------------------

/// The points of a sweep, a JSON list of settings: {"dim": 64, …} each, ready for orrery_run.
/// @param experiment  an experiment, a preset or a .toml file
ORRERY_API orrery_status orrery_points(const char* experiment, const char* settings,
                                       orrery_result** result);

/// One point of an experiment or preset, as `orrery run`: attention on one's own arrays is "attend". JSON: what `orrery run --json` prints, and
/// "drawn": the content of every figure, whose maps name arrays of the result.
/// @param inputs  for file parameters, by their keys, in place of files
ORRERY_API orrery_status orrery_run(const char* experiment, const char* settings,
                                    const orrery_array* inputs, size_t input_count,
                                    const orrery_progress* progress, orrery_result** result);

/// A figure of orrery_run as the bytes of a file. Settings: format (svg, png, pdf), theme (light,
/// dark, print), width and height in points, scale in pixels per point.
/// @param figure  its id; NULL: the first
/// @param bytes   to be given back with orrery_free
ORRERY_API orrery_status orrery_draw(const orrery_result* result, const char* figure,
                                     const char* settings, unsigned char** bytes, size_t* size);
ORRERY_API void orrery_free(void* bytes);

/// The claims of the papers with their measured numbers: JSON of `orrery verify --json`. Settings:
/// seed, draws, only.
ORRERY_API orrery_status orrery_verify(const char* settings, const orrery_progress* progress,
                                       orrery_result** result);

#ifdef __cplusplus
}
#endif

#endif
