#include "experiments/data/load_inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/data/sliced_tensor.h"
#include "experiments/data/tensor_files.h"
#include "experiments/data/tensor_pairs.h"
#include "experiments/data/tokens.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_positions.h"

namespace orrery {

Input input_of(const ParamSpec& spec, Tensor tensor) {
  if (spec.by_matrix) return std::make_shared<const SlicedTensor>(std::move(tensor));
  return tensor;
}

Values values_of(const ParamSpec& spec) {
  return spec.may_hide ? Values::finite_or_minus_infinity : Values::finite;
}

std::string table_of_key(const std::string& key) {
  return key.ends_with(".file") ? key.substr(0, key.size() - 5) : key;
}

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 2;
constexpr std::size_t most_entries = 10000;  // of a folder that is no model's

bool is_read(const fs::path& path) {
  const std::string extension = path.extension().string();
  for (const char* read : {".safetensors", ".gguf", ".json", ".model", ".txt"})
    if (extension == read) return true;
  return false;
}

/// Where a model is run from: its GGUF, or the folder of a configuration or of weights.
fs::path place_of_model(const fs::path& path) {
  if (path.extension() != ".json" && path.extension() != ".safetensors") return path;
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// The files that a model is run from, by path: its GGUF, or weights, configuration and tokenizer
/// in the folder and two folders deep. Never throws: what cannot be read is left out.
std::vector<fs::path> files_of_model(const fs::path& place) {
  std::error_code failed;
  if (!fs::is_directory(place, failed)) return {place};
  std::vector<fs::path> files;
  fs::recursive_directory_iterator at(place, fs::directory_options::skip_permission_denied, failed);
  for (std::size_t seen = 0; !failed && at != fs::end(at) && seen < most_entries; ++seen) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    std::error_code gone;
    if (at->is_regular_file(gone) && is_read(at->path())) files.push_back(at->path());
    at.increment(failed);
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool have_weights(const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [](const fs::path& one) {
    return one.extension() == ".safetensors" || one.extension() == ".gguf";
  });
}

/// One version of these files without reading them: their names, sizes, times and inodes.
std::string version_of(const std::vector<fs::path>& files) {
  std::string version;
  for (const fs::path& file : files) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0) continue;
    version +=
        fmt::format("{} {} {} {}.{} {}.{}\n", file.string(), s.st_size, s.st_ino, s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
  }
  return version;
}

struct FilesDigest {
  std::string sha256{};  ///< of a line "SHA256 NAME" for each file, by path
  std::uintmax_t bytes{};
};

/// Each version is read once in a process. Throws IoError for a file that cannot be read.
FilesDigest digest_of(const std::vector<fs::path>& files) {
  static std::mutex mutex;
  static std::map<std::string, FilesDigest> known;
  // Taken before reading: a file that changes meanwhile is read again the next time.
  const std::string version = version_of(files);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(version); found != known.end()) return found->second;
  }
  FilesDigest digest;
  std::string lines;
  for (const fs::path& file : files) {
    const MappedFile mapped(file, file.string());
    lines += fmt::format("{} {}\n", sha256_of(mapped), file.filename().string());
    digest.bytes += mapped.bytes().size();
  }
  digest.sha256 = sha256_hex(lines);
  const std::lock_guard lock(mutex);
  return known[version] = digest;
}

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

/// Whether a model's weights are read and nothing else of it.
bool takes_weights_alone(const ParamSpec& spec) {
  return spec.file_types == std::vector<std::string>{"safetensors"};
}

std::filesystem::path bundled_path(const Wanted& wanted) {
  const bool model = takes_model(*wanted.spec) || takes_weights_alone(*wanted.spec);
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
  fs::path path =
      wanted.value.starts_with(bundled_prefix) ? bundled_path(wanted) : fs::path(wanted.value);
  std::error_code failed;
  if (takes_weights_alone(*wanted.spec) && fs::is_directory(path, failed))
    path /= "model.safetensors";
  return path;
}

InputFile file_of(const Wanted& wanted, std::string sha256, std::size_t bytes) {
  return {
      .key = wanted.spec->key, .path = wanted.value, .sha256 = std::move(sha256), .bytes = bytes};
}

InputFile file_of(const Wanted& wanted, std::string_view bytes) {
  return file_of(wanted, sha256_hex(bytes), bytes.size());
}

/// Words in place of a file.
void load_words(LoadedInputs& loaded, const Wanted& wanted) {
  Text text = parse_text(wanted.value, wanted.assignment());
  text.name = "the words given";
  loaded.files.push_back(file_of(wanted, wanted.value));
  loaded.inputs.emplace(wanted.spec->key, std::move(text));
}

/// A file, or words with white space that no file has for a name; which of the two, is told.
void load_text(LoadedInputs& loaded, const Wanted& wanted) {
  const std::filesystem::path path = path_of(wanted);
  std::error_code failed;
  const bool is_file = fs::exists(path, failed),
             has_words = wanted.value.find_first_of(" \t\n") != std::string::npos;
  if (has_words)
    loaded.notes.push_back(wanted.assignment() + (is_file
                                                      ? ": the file of that name is read"
                                                      : ": no such file, so these words are read"));
  if (has_words && !is_file) return load_words(loaded, wanted);
  if (!is_file)
    throw IoError(wanted.assignment(), "cannot be read (No such file or directory)",
                  "give the path of a text, or words with spaces between them");
  std::string bytes = read_file(path, max_text_bytes, wanted.assignment());
  InputFile file = file_of(wanted, bytes);
  Text text = parse_text(std::move(bytes), wanted.assignment());
  text.name = path.filename().string();
  if (text.utf8.size() < file.bytes)
    loaded.notes.push_back(wanted.assignment() +
                           ": the text begins with a byte order mark, which is left out: places "
                           "count from behind it");
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

void load_tensor(LoadedInputs& loaded, const Wanted& wanted) {
  if (auto listed = listed_numbers(wanted.value)) {
    loaded.files.push_back(file_of(wanted, wanted.value));
    loaded.inputs.emplace(wanted.spec->key, input_of(*wanted.spec, std::move(*listed)));
    return;
  }
  const std::filesystem::path path = path_of(wanted);
  const std::string display_name = fmt::format("{}={}", wanted.spec->key, path.string());
  require_tensor_file(path, display_name);
  const std::string bytes = read_tensor_file(path, display_name, {wanted_tensor(wanted)});
  const OpenFile open = open_wanted(wanted, bytes, path, display_name);
  Tensor tensor = open.archive->tensor(open.name, values_of(*wanted.spec));
  tensor.name = open.label;
  loaded.files.push_back(file_of(wanted, bytes));
  if (open.one_of_many) loaded.files.back().tensor = open.name;
  loaded.inputs.emplace(wanted.spec->key, input_of(*wanted.spec, std::move(tensor)));
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
  loaded.inputs.emplace(wanted.spec->key, Matrices(std::move(tensor)));
  return true;
}

/// A file of several tables.
bool takes_tables(const ParamSpec& spec) {
  return spec.group == table_group && !takes_tensor(spec);
}

/// A folder or a file of several tensors, before and after.
bool takes_pairs(const ParamSpec& spec) {
  return spec.group != table_group && !takes_tensor(spec) &&
         std::find(spec.file_types.begin(), spec.file_types.end(), "npz") != spec.file_types.end();
}

void load_pairs(LoadedInputs& loaded, const Wanted& wanted) {
  TensorPairs pairs = std::make_shared<const std::vector<TensorPair>>(tensor_pairs(wanted.value));
  const FilesDigest digest = digest_of(files_of_pairs(wanted.value));
  loaded.files.push_back(file_of(wanted, digest.sha256, digest.bytes));
  loaded.files.back().tensor = "pairs";
  loaded.inputs.emplace(wanted.spec->key, std::move(pairs));
}

/// The tables that the settings read and that no file of their own gives.
std::vector<std::string> tables_read(const ParamSet& params) {
  std::vector<std::string> read;
  for (const ParamSpec& spec : params.specs())
    if (spec.group == table_group && takes_tensor(spec) && params.is_used(spec.key) &&
        params.text(spec.key).empty())
      read.push_back(table_of_key(spec.key));
  return read;
}

struct TableNames {
  std::vector<std::string> lacking{}, ignored{};
};

/// Refuses a table that nothing reads and that looks like a misspelt one.
void refuse_misspelt(const Wanted& wanted, const TableNames& names) {
  for (const std::string& name : names.ignored)
    if (const std::string near = nearest_name(name, names.lacking); !near.empty())
      throw UsageError(
          fmt::format("table {} of {}", name, wanted.value), "is not read here",
          fmt::format("did you mean {}? then give {}={}#{}", near, near, wanted.value, name));
}

/// Those of tables_read that the file has. The others are not decoded.
void load_tables(LoadedInputs& loaded, const ParamSet& params, const Wanted& wanted) {
  const std::vector<std::string> read = tables_read(params);
  const std::filesystem::path path(wanted.value);
  require_tensor_file(path, wanted.assignment());
  const std::string bytes = read_tensor_file(path, wanted.assignment(), read);
  const auto archive = open_tensors(bytes, path, wanted.assignment());
  TableNames names{.lacking = read};
  std::size_t taken = 0;
  for (const std::string& name : archive->names()) {
    const auto found = std::find(names.lacking.begin(), names.lacking.end(), name);
    if (found == names.lacking.end()) {
      names.ignored.push_back(name);
      continue;
    }
    Tensor tensor = archive->tensor(name);
    tensor.name = name;
    loaded.inputs.emplace(params.has(name + ".file") ? name + ".file" : name, std::move(tensor));
    names.lacking.erase(found);
    ++taken;
  }
  refuse_misspelt(wanted, names);
  if (taken == 0)
    throw UsageError(wanted.assignment(), "contains no table that is read here",
                     read.empty() ? "nothing reads one with these settings"
                                  : fmt::format("it reads {}", fmt::join(read, ", ")));
  if (!names.ignored.empty())
    loaded.notes.push_back(
        fmt::format("{}: read {} of {} tensors; {} and the others are not needed here",
                    wanted.value, taken, taken + names.ignored.size(), names.ignored.front()));
  loaded.files.push_back(file_of(wanted, bytes));
}

/// "Llama-3.1-8B/config.json": most configurations have the same name.
std::string model_name(const std::filesystem::path& file) {
  const std::string folder = file.parent_path().filename().string();
  const std::string name = file.filename().string();
  return folder.empty() || name.ends_with(".gguf") ? name : folder + "/" + name;
}

/// For which a model's file is read; 0: that of training.
std::int64_t read_length(const ParamSet& params) {
  const ParamSpec* spec = params.with_role(ParamRole::read_length);
  return spec ? params.integer(spec->key) : 0;
}

/// Of a GGUF, which may be larger than memory, the identity is that of the layers read from it.
void load_model(LoadedInputs& loaded, const ParamSet& params, const Wanted& wanted) {
  const std::filesystem::path given = path_of(wanted), place = place_of_model(given);
  auto plan = std::make_shared<PositionPlan>(read_positions(
      given.extension() == ".safetensors" ? place : given, {.length = read_length(params)}));
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

void load_weights(LoadedInputs& loaded, const Wanted& wanted) {
  ModelFile model{.path = path_of(wanted), .has_weights = true};
  const MappedFile file(model.path, wanted.assignment());
  model.name = model_name(model.path);
  model.sha256 = sha256_of(file);
  loaded.files.push_back(file_of(wanted, model.sha256, file.bytes().size()));
  loaded.inputs.emplace(wanted.spec->key, std::move(model));
}

void load_into(LoadedInputs& loaded, const ParamSet& params, const Wanted& wanted) {
  if (takes_tables(*wanted.spec)) return load_tables(loaded, params, wanted);
  if (takes_pairs(*wanted.spec)) return load_pairs(loaded, wanted);
  if (takes_model(*wanted.spec)) return load_model(loaded, params, wanted);
  if (takes_weights_alone(*wanted.spec)) return load_weights(loaded, wanted);
  if (!takes_tensor(*wanted.spec)) return load_text(loaded, wanted);
  if (wanted.spec->by_matrix && load_slices(loaded, wanted)) return;
  load_tensor(loaded, wanted);
}

/// Identifies one version of a parameter's files, and how they are read, without reading them.
std::string stamp_of(const ParamSet& params, const Wanted& wanted) {
  const fs::path path = path_of(wanted);
  const FileVersion version = version_at(path);
  std::string stamp = fmt::format("{} {} {} {}.{} {}\n", takes_tensor(*wanted.spec), version.inode,
                                  version.size, version.seconds, version.nanoseconds, wanted.value);
  if (takes_model(*wanted.spec)) stamp += fmt::format("{} ", read_length(params));
  if (takes_weights(*wanted.spec)) stamp += version_of(files_of_model(place_of_model(path)));
  if (takes_pairs(*wanted.spec)) stamp += version_of(files_of_pairs(path));
  if (takes_tables(*wanted.spec)) stamp += fmt::format("{}", fmt::join(tables_read(params), ","));
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

LoadedInputs load_inputs(const ParamSet& params) {
  LoadedInputs loaded;
  for (const Wanted& wanted : wanted_files(params)) load_into(loaded, params, wanted);
  return loaded;
}

std::shared_ptr<const LoadedInputs> InputCache::load(const ParamSet& params) {
  const std::vector<Wanted> wanted = wanted_files(params);
  // Stamped before reading, so that a file that changes meanwhile is read again the next time.
  std::map<std::string, std::string> stamps;
  for (const Wanted& file : wanted) stamps.emplace(file.spec->key, stamp_of(params, file));
  if (loaded_ && stamps == stamps_) return loaded_;

  auto loaded = std::make_shared<LoadedInputs>();
  for (const Wanted& file : wanted) {
    const std::string& key = file.spec->key;
    const auto before = stamps_.find(key);
    if (before != stamps_.end() && before->second == stamps.at(key) && !takes_tables(*file.spec))
      copy_key(*loaded_, key, *loaded);
    else
      load_into(*loaded, params, file);
  }
  stamps_ = std::move(stamps);
  loaded_ = std::move(loaded);
  return loaded_;
}

}  // namespace orrery
