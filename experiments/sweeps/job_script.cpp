#include "experiments/sweeps/job_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

/// A path that no program takes for an option.
std::string path_word(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

/// Slurm's lists and file names of others show it: letters, digits and "._-" alone.
std::string plain_name(const std::string& name) {
  constexpr std::size_t longest = 64;
  std::string plain = name.substr(0, longest);
  for (char& c : plain) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
    if (!kept) c = '_';
  }
  return plain;
}

/// The only lines that hold words of the user, each quoted; all others name these variables.
std::string assignments(const EmitOptions& o) {
  return fmt::format("folder={}\nprogram={}\nout={}\nsweep=({})\nplugins=({})\n",
                     shell_quoted(o.folder), shell_quoted(o.program),
                     shell_quoted(path_word(o.out)), shell_line(o.sweep), shell_line(o.plugins));
}

std::string directives(const JobNeeds& needs) {
  std::string lines;
  if (needs.minutes > 0) lines += fmt::format("#SBATCH --time={}\n", needs.minutes);
  if (needs.mebibytes > 0) lines += fmt::format("#SBATCH --mem={}M\n", needs.mebibytes);
  return lines;
}

/// A literal of Python's bytes, which are any name that the system has.
std::string python_bytes(std::string_view word) {
  std::string literal = "b\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte > '~')
      literal += fmt::format("\\x{:02x}", byte);
    else if (c == '"' || c == '\\')
      literal += {'\\', c};
    else
      literal += c;
  }
  return literal + "\"";
}

std::string python_list(const std::vector<std::string>& words) {
  std::vector<std::string> literals;
  literals.reserve(words.size());
  for (const std::string& word : words) literals.push_back(python_bytes(word));
  return fmt::format("[{}]", fmt::join(literals, ", "));
}

/// As a rule of Snakemake has them, whose megabytes are of 10⁶ bytes.
std::string resources(const JobNeeds& needs) {
  constexpr double megabytes = 1.048576;  // of a mebibyte
  std::vector<std::string> all;
  if (needs.mebibytes > 0)
    all.push_back(fmt::format("mem_mb={:.0f}", std::ceil(needs.mebibytes * megabytes)));
  if (needs.minutes > 0) all.push_back(fmt::format("runtime={}", needs.minutes));
  return all.empty() ? "" : fmt::format("    resources: {}\n", fmt::join(all, ", "));
}

}  // namespace

int tasks_of(int shards) {
  constexpr int most_tasks = 1000;
  return std::min(shards, most_tasks);
}

std::string job_script(const std::string& engine, const EmitOptions& o) {
  const std::map<std::string_view, std::string> parts{
      {"@shards@", std::to_string(o.shards)},
      {"@tasks@", std::to_string(tasks_of(o.shards))},
      {"@plan@", o.plan},
      {"@name@", shell_quoted(plain_name(o.name))},
      {"@assignments@", assignments(o)},
      {"@directives@", directives(o.task)},
      {"@merge_directives@", directives(o.merge)},
      {"@folder@", python_bytes(o.folder)},
      {"@program@", python_bytes(o.program)},
      {"@out@", python_bytes(path_word(o.out))},
      {"@sweep@", python_list(o.sweep)},
      {"@plugins@", python_list(o.plugins)},
      {"@resources@", resources(o.task)},
      {"@merge_resources@", resources(o.merge)}};
  constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 16;
  const std::string text = read_file(asset_path(fmt::format("jobs/{}", engine)), most_bytes);
  // What is put in is not looked at again: it holds words of the user.
  std::string script;
  for (std::size_t at = 0; at < text.size();) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& one) {
      return text.compare(at, one.first.size(), one.first) == 0;
    });
    script += part == parts.end() ? text.substr(at, 1) : part->second;
    at += part == parts.end() ? 1 : part->first.size();
  }
  return script;
}

}  // namespace orrery
