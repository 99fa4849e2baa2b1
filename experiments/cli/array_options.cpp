#include "experiments/cli/array_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/cli/console.h"
#include "experiments/data/npz.h"
#include "experiments/data/safetensors.h"
#include "experiments/data/tensor_files.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"

namespace orrery {

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

}  // namespace orrery
