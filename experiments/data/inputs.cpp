#include "experiments/data/inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "experiments/data/assets.h"
#include "experiments/data/file.h"
#include "experiments/data/npy.h"
#include "experiments/data/text.h"

namespace orrery {
namespace {

// A long book is 10 MB; the rest is a file dropped by mistake.
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

std::filesystem::path bundled_path(const Wanted& wanted) {
  const std::string name = wanted.value.substr(bundled_prefix.size());
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
    throw UsageError(wanted.assignment(), "must name a bundled text without a folder",
                     fmt::format("write it like {}=bundled:the_orrery.txt", wanted.spec->key));
  try {
    return asset_path("texts/" + name);
  } catch (const IoError& error) {
    throw IoError(wanted.assignment(), "is not a bundled text", error.what());
  }
}

std::filesystem::path path_of(const Wanted& wanted) {
  const bool bundled = wanted.value.starts_with(bundled_prefix);
  return bundled ? bundled_path(wanted) : std::filesystem::path(wanted.value);
}

bool has_npy_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return extension == ".npy";
}

Tensor tensor_from(std::string_view bytes, const Wanted& wanted, const std::string& name) {
  Tensor tensor = parse_npy(bytes, wanted.assignment());
  tensor.name = name;
  return tensor;
}

Text text_from(std::string bytes, const Wanted& wanted, const std::string& name) {
  Text text = parse_text(std::move(bytes), wanted.assignment());
  text.name = name;
  return text;
}

void load_into(LoadedInputs& loaded, const Wanted& wanted) {
  const std::filesystem::path path = path_of(wanted);
  const std::string name = path.filename().string();
  const bool tensor = takes_tensor(*wanted.spec);
  if (tensor && !has_npy_extension(path))
    throw UsageError(wanted.assignment(), "must be a .npy file",
                     "save the array with numpy.save(\"array.npy\", array)");
  std::string bytes =
      read_file(path, tensor ? max_npy_file_bytes : max_text_bytes, wanted.assignment());
  loaded.files.push_back({.key = wanted.spec->key,
                          .path = wanted.value,
                          .sha256 = sha256_hex(bytes),
                          .bytes = bytes.size()});
  if (tensor)
    loaded.inputs.emplace(wanted.spec->key, tensor_from(bytes, wanted, name));
  else
    loaded.inputs.emplace(wanted.spec->key, text_from(std::move(bytes), wanted, name));
}

FileStamp stamp_of(const Wanted& wanted) {
  FileStamp stamp{.path = wanted.value, .tensor = takes_tensor(*wanted.spec)};
  struct stat status {};
  if (::stat(path_of(wanted).c_str(), &status) == 0) {
    stamp.size = status.st_size;
    stamp.seconds = status.st_mtim.tv_sec;
    stamp.nanoseconds = status.st_mtim.tv_nsec;
  }
  return stamp;
}

void copy_key(const LoadedInputs& from, const std::string& key, LoadedInputs& to) {
  to.inputs.emplace(key, from.inputs.at(key));
  std::copy_if(from.files.begin(), from.files.end(), std::back_inserter(to.files),
               [&](const InputFile& file) { return file.key == key; });
}

}  // namespace

LoadedInputs load_inputs(const ParamSet& params) {
  LoadedInputs loaded;
  for (const Wanted& wanted : wanted_files(params)) load_into(loaded, wanted);
  return loaded;
}

bool InputCache::holds(const std::string& key, const FileStamp& stamp) const {
  const auto found = stamps_.find(key);
  return found != stamps_.end() && found->second == stamp;
}

std::shared_ptr<const LoadedInputs> InputCache::load(const ParamSet& params) {
  const std::vector<Wanted> wanted = wanted_files(params);
  // Stamped before it is read: a file that changes meanwhile is read again the next time.
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
