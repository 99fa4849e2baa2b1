#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/experiment.h"

namespace orrery {

/// A file that a run read, for its manifest.
struct InputFile {
  std::string key{};     ///< the parameter
  std::string path{};    ///< as given
  std::string sha256{};  ///< of the content, 64 hexadecimal digits
  std::uintmax_t bytes{};
  std::string tensor{};  ///< which of the file's tensors was read; empty when it is the only one
};

/// 64 hexadecimal digits that tell what was read: the file's sha256; where it holds several
/// tensors, the SHA-256 of that, "#" and the tensor's name.
std::string content_id(const InputFile& file);

struct LoadedInputs {
  Inputs inputs{};
  std::vector<InputFile> files{};  ///< in the order of the parameters
};

/// Reads what the used, non-empty file parameters name. A parameter whose file_types contain "npy"
/// takes a tensor from a .npy, .npz or .safetensors file: "weights.npz#layer0.q" is the one of that
/// name, which may be left out where there is one. Any other takes a text of whatever extension.
/// "bundled:NAME" is the text NAME that comes with Orrery.
/// @param masks  the keys whose arrays may hold −inf, as additive masks do
/// Every message begins with "key=path". Throws UsageError (no such extension, no such tensor,
/// several and none is named, a bundled name with a folder in it), IoError (cannot be read) and
/// DataError (see parse_npy, parse_npz, parse_safetensors, parse_text).
LoadedInputs load_inputs(const ParamSet& params, const std::vector<std::string>& masks = {});

/// What tells that a file is not the one that was read before.
struct FileStamp {
  std::string path{};  ///< as given
  bool tensor{};       ///< what it was read as
  std::intmax_t size{-1};
  std::intmax_t seconds{};
  std::intmax_t nanoseconds{};
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// load_inputs that reads a file again only when its path, size or time of change differ from the
/// last time. One cache serves one thread at a time; what it returned stays as it is.
class InputCache {
 public:
  /// The same object as last time when nothing differs. Throws as load_inputs does, and then keeps
  /// what it had.
  std::shared_ptr<const LoadedInputs> load(const ParamSet& params);

 private:
  using Stamps = std::map<std::string, FileStamp, std::less<>>;

  bool holds(const std::string& key, const FileStamp& stamp) const;

  Stamps stamps_{};
  std::shared_ptr<const LoadedInputs> loaded_{};
};

}  // namespace orrery
