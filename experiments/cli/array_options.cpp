#include "experiments/cli/array_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/cli/console.h"
#include "experiments/data/npz.h"
#include "experiments/data/safetensors.h"
#include "experiments/data/tensor_files.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/setup/encoding_summary.h"

namespace orrery {
namespace {

bool is_of_an_encoding(const std::string& key) {
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params)
      if (spec.key == key) return true;
  return false;
}

/// " One of a, b. [a]": the choices and the default, where there are any.
std::string values_text(const ParamSpec& spec) {
  std::vector<std::string> choices;
  for (const Choice& choice : spec.choices) choices.push_back(choice.name);
  std::string text;
  if (!choices.empty()) text += fmt::format(" One of {}.", fmt::join(choices, ", "));
  const std::string value = to_text(spec.default_value);
  return value.empty() ? text : text + fmt::format(" [{}]", value);
}

}  // namespace

bool is_archive(const std::string& file) {
  return file.ends_with(".npz") || file.ends_with(".safetensors");
}

void require_no_input(const std::string& out, const std::vector<InputFile>& inputs,
                      const std::filesystem::path& model) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (out.empty() || !fs::exists(out, none)) return;
  const bool are_weights = fs::path(out).extension() == ".safetensors" &&
                           fs::equivalent(fs::absolute(out, none).parent_path(), model, none);
  bool is_read = are_weights || fs::equivalent(out, model, none);
  for (const InputFile& input : inputs)
    is_read = is_read || fs::equivalent(out, input.path.substr(0, input.path.rfind('#')), none);
  if (is_read) throw UsageError("--out " + out, "is a file that is read", "name another one");
}

void require_no_input_in(const std::filesystem::path& folder,
                         const std::vector<InputFile>& inputs) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path out = fs::weakly_canonical(folder, none);
  for (const InputFile& input : inputs) {
    const std::string path = input.path.substr(0, input.path.rfind('#'));
    const fs::path within = fs::weakly_canonical(path, none).lexically_relative(out);
    if (fs::exists(path, none) && !within.empty() && *within.begin() != "..")
      throw UsageError("--out " + folder.string(),
                       fmt::format("holds {}={}, which is read", input.key, input.path),
                       "name another one");
  }
}

void require_archive_or_folder(const std::string& out) {
  const std::string extension = std::filesystem::path(out).extension().string();
  const char first = extension.size() > 1 ? extension[1] : '0';
  const bool names_a_file = ('a' <= first && first <= 'z') || ('A' <= first && first <= 'Z');
  if (!names_a_file || is_archive(out) || out.ends_with(".npy")) return;
  throw UsageError(fmt::format("--out {}", out),
                   fmt::format("ends in {}, and arrays are written to a .npy, .npz or .safetensors "
                               "file or to a folder",
                               extension),
                   "end the name in .npz or .safetensors, or in / for a folder of that name");
}

void require_new_output(const std::string& out, bool force) {
  std::error_code failure;
  if (force || !std::filesystem::exists(out, failure)) return;
  throw IoError(out, "is there already",
                "add --force to replace it, or choose another name with --out");
}

std::string keys_section(const std::vector<ParamSpec>& specs) {
  constexpr int key_width = 20;
  std::string text = "Keys, as key=value, with their defaults:\n", group;
  for (const ParamSpec& spec : specs) {
    if (is_of_an_encoding(spec.key)) continue;
    if (!spec.group.empty() && spec.group != group)
      text += fmt::format("  {}:{}\n", spec.group, values_text(spec));
    group = spec.group;
    text += fmt::format("  {:<{}} {}", spec.key, key_width, plain_text(spec.description));
    text += group.empty() ? values_text(spec) + "\n" : "\n";
  }
  return text;
}

}  // namespace orrery
