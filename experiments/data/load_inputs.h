#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/data/array_codec.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// An input file of a run, as its manifest records it.
struct InputFile {
  std::string key{};     ///< the parameter
  std::string path{};    ///< as given
  std::string sha256{};  ///< of the content, 64 hexadecimal digits; of a model digest_of its files
  std::uintmax_t bytes{};
  /// The tensor that was read; empty when the file has only one. "positions" of a GGUF, whose
  /// sha256 is that of the layers read from it: the file may be larger than memory. "model" of one
  /// that is run.
  std::string tensor{};
};

/// Identifies the content that was read, in 64 hexadecimal digits: the file's SHA-256 or, where the
/// file has several tensors, the SHA-256 of that, "#" and the tensor's name.
std::string content_id(const InputFile& file);

struct LoadedInputs {
  Inputs inputs{};
  std::vector<InputFile> files{};    ///< in the order of the parameters
  std::vector<std::string> notes{};  ///< what was left unread, a sentence each
};

/// The group of parameters that are trained tables: a file whose parameter in it has no file type
/// "npy" holds several, which stand in for those that are not given.
inline constexpr const char* table_group = "tables";
/// The table of such a parameter: its key, without ".file", which tells it from a list of that name.
std::string table_of_key(const std::string& key);

/// Reads the files that the used, non-empty file parameters name. A parameter whose file_types
/// contain "npy" takes a tensor from a .npy, .npz or .safetensors file: "weights.npz#layer0.q"
/// names one of several; a file with a single tensor needs no name. It also takes whole numbers in
/// place of a file, "0..9" or "3+1+4", an array [N]. Arrays of a parameter `by_matrix` stay in their
/// file where sliced_tensor leaves them there. "npz" without "npy" are the pairs of tensor_pairs.
///
/// One whose file_types contain "gguf" takes the layers of a model, see read_positions; with
/// "safetensors" among them, the model is run, and all of its files count. "safetensors"
/// alone are weights, of a file or of a folder's model.safetensors, which stay in it: a ModelFile
/// without a plan. Every other file parameter takes a text with any extension. "bundled:NAME" is the
/// text or model NAME that comes with Orrery.
///
/// Throws UsageError (an unknown extension or tensor, several tensors of which none is named, a
/// bundled name with a folder in it), IoError (cannot be read) and DataError (see parse_npy,
/// parse_npz, parse_safetensors, parse_text). Every message begins with "key=path", but a model's
/// with its path.
LoadedInputs load_inputs(const ParamSet& params);

/// An array as a parameter takes it: its values, or those of a parameter `by_matrix` as Matrices.
Input input_of(const ParamSpec& spec, Tensor tensor);
/// Which values the arrays of a parameter may have.
Values values_of(const ParamSpec& spec);

/// load_inputs that reads a file again only when its path, size or modification time has changed.
/// Not thread-safe; results that were returned never change.
class InputCache {
 public:
  /// Returns the same object as last time when no file has changed. Throws as load_inputs does; the
  /// cache is then unchanged.
  std::shared_ptr<const LoadedInputs> load(const ParamSet& params);

 private:
  std::map<std::string, std::string> stamps_{};  ///< one version of each parameter's files, by key
  std::shared_ptr<const LoadedInputs> loaded_{};
};

}  // namespace orrery
