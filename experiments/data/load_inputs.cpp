#include "experiments/data/load_inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/data/run_files.h"
#include "experiments/data/tensor_files.h"
#include "experiments/data/text_file.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/positions_json.h"
#include "experiments/model_files/read_positions.h"

namespace orrery {
namespace {

// A long book has 10 MB; a larger file was probably chosen by mistake.
constexpr std::uintmax_t max_text_bytes = std::uintmax_t{64} << 20;
constexpr std::string_view bundled_prefix = "bundled:";

struct Wanted {
  const ParamSpec* spec;
  std::string value;

  std::string assignment() const { return fmt::format("{}={}", spec->key, value); }
};

std::vector<Wanted> wanted_files(const ParamSet& params) {
  std::vector<Wanted> wanted;
  for (const ParamSpec& spec : params.specs()) {
    if (spec.kind != ParamKind::file || !params.is_used(spec.key)) continue;
    if (!params.text(spec.key).empty()) wanted.push_back({&spec, params.text(spec.key)});
  }
  return wanted;
}

bool takes_tensor(const ParamSpec& spec) {
  return std::find(spec.file_types.begin(), spec.file_types.end(), "npy") != spec.file_types.end();
}

bool takes_model(const ParamSpec& spec) {
  return std::find(spec.file_types.begin(), spec.file_types.end(), "gguf") != spec.file_types.end();
}

/// Whether the model is run, so that its weights and its tokenizer are read, too.
bool takes_weights(const ParamSpec& spec) {
  return takes_model(spec) && std::find(spec.file_types.begin(), spec.file_types.end(),
                                        "safetensors") != spec.file_types.end();
}

std::filesystem::path bundled_path(const Wanted& wanted) {
  const bool model = takes_model(*wanted.spec);
  const std::string name = wanted.value.substr(bundled_prefix.size());
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
    throw UsageError(wanted.assignment(),
                     model ? "must name a bundled model without a folder"
                           : "must name a bundled text without a folder",
                     fmt::format("write it like {}=bundled:{}", wanted.spec->key,
                                 model ? "gemma_3_27b.json" : "the_orrery.txt"));
  try {
    return asset_path((model ? "models/" : "texts/") + name);
  } catch (const IoError& error) {
    throw IoError(wanted.assignment(), model ? "is not a bundled model" : "is not a bundled text",
                  error.what());
  }
}

std::filesystem::path path_of(const Wanted& wanted) {
  if (takes_tensor(*wanted.spec)) return tensor_path(wanted.value).file;
  return wanted.value.starts_with(bundled_prefix) ? bundled_path(wanted)
                                                  : std::filesystem::path(wanted.value);
}

InputFile file_of(const Wanted& wanted, std::string sha256, std::size_t bytes) {
  return {
      .key = wanted.spec->key, .path = wanted.value, .sha256 = std::move(sha256), .bytes = bytes};
}

InputFile file_of(const Wanted& wanted, std::string_view bytes) {
  return file_of(wanted, sha256_hex(bytes), bytes.size());
}

void load_text(LoadedInputs& loaded, const Wanted& wanted) {
  const std::filesystem::path path = path_of(wanted);
  std::string bytes = read_file(path, max_text_bytes, wanted.assignment());
  InputFile file = file_of(wanted, bytes);
  Text text = parse_text(std::move(bytes), wanted.assignment());
  text.name = path.filename().string();
  loaded.files.push_back(std::move(file));
  loaded.inputs.emplace(wanted.spec->key, std::move(text));
}

std::string wanted_tensor(const Wanted& wanted) {
  const TensorPath path = tensor_path(wanted.value);
  if (path.is_named && path.tensor.empty())
    throw UsageError(wanted.assignment(), "names no tensor after '#'",
                     fmt::format("write it like {}=weights.npz#NAME", wanted.spec->key));
  return path.tensor;
}

/// A file of tensors, and the one of them that is wanted.
struct OpenFile {
  std::unique_ptr<TensorArchive> archive;
  std::string name{};   ///< of the tensor there
  std::string label{};  ///< of the tensor in figures
  bool one_of_many{};
};

OpenFile open_wanted(const Wanted& wanted, std::string_view bytes,
                     const std::filesystem::path& path, const std::string& display_name) {
  OpenFile open{.archive = open_tensors(bytes, path, display_name)};
  const std::vector<std::string> names = open.archive->names();
  open.name = resolve_tensor_name(names, wanted_tensor(wanted), display_name);
  open.one_of_many = names.size() > 1;
  const std::string file = path.filename().string();
  open.label = open.one_of_many ? tensor_label(file, open.name) : file;
  return open;
}

void load_tensor(LoadedInputs& loaded, const Wanted& wanted, Values allowed) {
  const std::filesystem::path path = path_of(wanted);
  const std::string display_name = fmt::format("{}={}", wanted.spec->key, path.string());
  require_tensor_file(path, display_name);
  const std::string bytes = read_tensor_file(path, display_name, {wanted_tensor(wanted)});
  const OpenFile open = open_wanted(wanted, bytes, path, display_name);
  Tensor tensor = open.archive->tensor(open.name, allowed);
  tensor.name = open.label;
  loaded.files.push_back(file_of(wanted, bytes));
  if (open.one_of_many) loaded.files.back().tensor = open.name;
  loaded.inputs.emplace(wanted.spec->key, std::move(tensor));
}

/// Whether the array stays in its file.
bool load_slices(LoadedInputs& loaded, const Wanted& wanted) {
  static_cast<void>(wanted_tensor(wanted));
  const std::filesystem::path path = path_of(wanted);
  const std::string display_name = fmt::format("{}={}", wanted.spec->key, path.string());
  require_tensor_file(path, display_name);
  const auto file = std::make_shared<const MappedFile>(path, display_name);
  if (file->bytes().size() > max_tensor_file_bytes) return false;
  const OpenFile open = open_wanted(wanted, file->bytes(), path, display_name);
  std::unique_ptr<SlicedTensor> tensor = sliced_tensor(file, *open.archive, open.name, open.label);
  if (!tensor) return false;
  loaded.files.push_back(file_of(wanted, sha256_of(*file), file->bytes().size()));
  if (open.one_of_many) loaded.files.back().tensor = open.name;
  loaded.slices.emplace(wanted.spec->key, std::move(*tensor));
  return true;
}

/// "Llama-3.1-8B/config.json": most configurations have the same name.
std::string model_name(const std::filesystem::path& file) {
  const std::string folder = file.parent_path().filename().string();
  const std::string name = file.filename().string();
  return folder.empty() || name.ends_with(".gguf") ? name : folder + "/" + name;
}

/// Of a GGUF, which may be larger than memory, the identity is that of the layers read from it.
void load_model(LoadedInputs& loaded, const Wanted& wanted) {
  const std::filesystem::path given = path_of(wanted), place = place_of_model(given);
  auto plan = std::make_shared<PositionPlan>(
      read_positions(given.extension() == ".safetensors" ? place : given));
  const std::filesystem::path file = plan->source;
  plan->source = model_name(file);
  const std::vector<std::filesystem::path> files = files_of_model(place);
  std::error_code error;
  InputFile record{.key = wanted.spec->key, .path = wanted.value};
  record.bytes = std::filesystem::file_size(file, error);
  if (takes_weights(*wanted.spec)) {
    const FilesDigest digest = digest_of(files);
    record.sha256 = digest.sha256;
    record.bytes = digest.bytes;
    record.tensor = "model";
  } else if (plan->format.starts_with("GGUF")) {
    record.sha256 = sha256_hex(positions_json(*plan));
    record.tensor = "positions";
  } else {
    record.sha256 = sha256_hex(read_file(file, max_text_bytes, wanted.assignment()));
  }
  ModelFile model{plan->source, plan, place, have_weights(files), record.sha256};
  loaded.files.push_back(std::move(record));
  loaded.inputs.emplace(wanted.spec->key, std::move(model));
}

void load_into(LoadedInputs& loaded, const Wanted& wanted, Values allowed = Values::finite) {
  if (takes_model(*wanted.spec))
    load_model(loaded, wanted);
  else if (takes_tensor(*wanted.spec))
    load_tensor(loaded, wanted, allowed);
  else
    load_text(loaded, wanted);
}

FileStamp stamp_of(const Wanted& wanted) {
  FileStamp stamp{.path = wanted.value, .tensor = takes_tensor(*wanted.spec)};
  struct stat status {};
  if (::stat(path_of(wanted).c_str(), &status) == 0) {
    stamp.size = status.st_size;
    stamp.seconds = status.st_mtim.tv_sec;
    stamp.nanoseconds = status.st_mtim.tv_nsec;
  }
  if (takes_weights(*wanted.spec))
    stamp.others = version_of(files_of_model(place_of_model(path_of(wanted))));
  return stamp;
}

void copy_key(const LoadedInputs& from, const std::string& key, LoadedInputs& to) {
  to.inputs.emplace(key, from.inputs.at(key));
  std::copy_if(from.files.begin(), from.files.end(), std::back_inserter(to.files),
               [&](const InputFile& file) { return file.key == key; });
}

}  // namespace

std::string content_id(const InputFile& file) {
  if (file.tensor.empty()) return file.sha256;
  return sha256_hex(fmt::format("{}#{}", file.sha256, file.tensor));
}

LoadedInputs load_inputs(const ParamSet& params, const std::vector<std::string>& masks,
                         const std::vector<std::string>& sliced) {
  LoadedInputs loaded;
  for (const Wanted& wanted : wanted_files(params)) {
    const auto is_one_of = [&](const std::vector<std::string>& keys) {
      return std::find(keys.begin(), keys.end(), wanted.spec->key) != keys.end();
    };
    if (is_one_of(sliced) && load_slices(loaded, wanted)) continue;
    const bool is_mask = is_one_of(masks);
    load_into(loaded, wanted, is_mask ? Values::finite_or_minus_infinity : Values::finite);
  }
  return loaded;
}

bool InputCache::holds(const std::string& key, const FileStamp& stamp) const {
  const auto found = stamps_.find(key);
  return found != stamps_.end() && found->second == stamp;
}

std::shared_ptr<const LoadedInputs> InputCache::load(const ParamSet& params) {
  const std::vector<Wanted> wanted = wanted_files(params);
  // Stamped before reading, so that a file that changes meanwhile is read again the next time.
  Stamps stamps;
  for (const Wanted& file : wanted) stamps.emplace(file.spec->key, stamp_of(file));
  if (loaded_ && stamps == stamps_) return loaded_;

  auto loaded = std::make_shared<LoadedInputs>();
  for (const Wanted& file : wanted) {
    const std::string& key = file.spec->key;
    if (holds(key, stamps.at(key)))
      copy_key(*loaded_, key, *loaded);
    else
      load_into(*loaded, file);
  }
  stamps_ = std::move(stamps);
  loaded_ = std::move(loaded);
  return loaded_;
}

}  // namespace orrery
