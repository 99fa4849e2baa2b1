#include "experiments/cli/array_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/errors.h"
#include "core/position.h"
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

constexpr std::int64_t most_positions = std::int64_t{1} << 24;

Position parse_position(std::string_view text) {
  Position position{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), position);
  const bool whole = end == text.data() + text.size();
  if (whole && status == std::errc::result_out_of_range) throw position_out_of_range(text);
  if (whole && status == std::errc()) {
    check_positions({&position, 1});
    return position;
  }
  throw UsageError(fmt::format("position {}", text), "must be a whole number",
                   "write positions like 0..9 or 3,1,4");
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  if (last < first || last - first >= most_positions)
    throw UsageError(fmt::format("{}..{}", first, last),
                     fmt::format("must count up, to at most {} positions", most_positions),
                     "write positions like 0..9");
  std::vector<std::int64_t> positions;
  for (std::int64_t p = first; p <= last; ++p) positions.push_back(p);
  return positions;
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_of_an_encoding(const std::string& key) {
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params)
      if (spec.key == key) return true;
  return false;
}

/// Refuses an ignored name that looks like a misspelt table.
void refuse_misspelt(const std::string& file, const std::vector<std::string>& ignored,
                     const std::vector<std::string>& lacking) {
  for (const std::string& name : ignored) {
    const std::string near = nearest_name(name, lacking);
    if (!near.empty())
      throw UsageError(fmt::format("table {} of {}", name, file), "is not read here",
                       fmt::format("did you mean {}? then give {}={}#{}", near, near, file, name));
  }
}

/// The wanted tensors of a file; the others are not decoded.
TensorMap wanted_tensors(const std::filesystem::path& path,
                         const std::vector<std::string>& wanted) {
  const std::string file = path.string();
  require_tensor_file(path, file);
  const std::string bytes = read_tensor_file(path, file, wanted);
  const auto archive = open_tensors(bytes, path, file);
  TensorMap taken;
  std::vector<std::string> ignored, lacking;
  for (const std::string& name : archive->names()) {
    if (is_among(name, wanted))
      taken.emplace(name, archive->tensor(name));
    else
      ignored.push_back(name);
  }
  for (const std::string& name : wanted)
    if (taken.count(name) == 0) lacking.push_back(name);
  refuse_misspelt(file, ignored, lacking);
  if (taken.empty())
    throw UsageError(fmt::format("--table {}", file), "contains no table that is read here",
                     wanted.empty() ? "this encoding reads none"
                                    : fmt::format("it reads {}", fmt::join(wanted, ", ")));
  if (!ignored.empty())
    tell(fmt::format("{}: read {} of {} tensors; {} and the others are not needed here\n", file,
                     taken.size(), taken.size() + ignored.size(), ignored.front()));
  return taken;
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

/// The tensor named by FILE or FILE#NAME.
Tensor one_tensor(const TensorPath& path) {
  const std::string file = path.file.string();
  require_tensor_file(path.file, file);
  const std::string bytes = read_tensor_file(path.file, file, {path.tensor});
  const auto archive = open_tensors(bytes, path.file, file);
  return archive->tensor(resolve_tensor_name(archive->names(), path.tensor, file));
}

}  // namespace

Option table_option(ArrayOptions& options) {
  return {"--table", &options.tables,
          "A trained table, NAME=FILE; or FILE for all of its tensors that are read here"};
}

std::vector<std::int64_t> parse_positions(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos) {
    const Position first = parse_position(text.substr(0, dots));
    return range(first, parse_position(text.substr(dots + 2)));
  }
  std::vector<std::int64_t> positions;
  std::size_t start = 0;
  for (std::size_t comma; (comma = text.find(',', start)) != std::string::npos; start = comma + 1)
    positions.push_back(parse_position(text.substr(start, comma - start)));
  positions.push_back(parse_position(text.substr(start)));
  return positions;
}

TensorMap read_tables(const std::vector<std::string>& words,
                      const std::vector<std::string>& wanted) {
  TensorMap tables;
  const auto add = [&](const std::string& word, const std::string& name, Tensor tensor) {
    tensor.name = name;
    if (tables.emplace(name, std::move(tensor)).second) return;
    throw UsageError(fmt::format("--table {}", word), fmt::format("gives {} again", name),
                     "give each table once");
  };
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const TensorPath path = tensor_path(word.substr(equals == std::string::npos ? 0 : equals + 1));
    if (equals == std::string::npos && !path.is_named) {
      for (auto& [name, tensor] : wanted_tensors(path.file, wanted)) add(word, name, tensor);
      continue;
    }
    Tensor tensor = one_tensor(path);
    add(word, equals == std::string::npos ? tensor.name : word.substr(0, equals), tensor);
  }
  return tables;
}

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

void require_archive_or_folder(const std::string& out) {
  const std::string extension = std::filesystem::path(out).extension().string();
  const char first = extension.size() > 1 ? extension[1] : '0';
  const bool names_a_file = ('a' <= first && first <= 'z') || ('A' <= first && first <= 'Z');
  if (!names_a_file || is_archive(out)) return;
  throw UsageError(
      fmt::format("--out {}", out),
      fmt::format(
          "ends in {}, and arrays are written to a .npz or .safetensors file or to a folder",
          extension),
      "end the name in .npz or .safetensors, or in / for a folder of that name");
}

void require_new_output(const std::string& out, bool force) {
  std::error_code failure;
  if (force || !std::filesystem::exists(out, failure)) return;
  throw IoError(out, "is there already",
                "add --force to replace it, or choose another name with --out");
}

void write_output(const ArrayOptions& options, std::string_view bytes) {
  remove_abandoned(options.out);
  atomic_write(options.out, bytes, options.force ? Existing::replaced : Existing::refused);
}

std::string archive_bytes(const std::string& file,
                          const std::vector<std::shared_ptr<const Array>>& arrays) {
  std::vector<const Array*> pointers;
  for (const auto& array : arrays) pointers.push_back(array.get());
  if (file.ends_with(".npz")) return npz_bytes(pointers);
  if (file.ends_with(".safetensors")) return safetensors_bytes(pointers);
  return {};
}

std::string keys_text(const std::vector<ParamSpec>& specs) {
  constexpr int key_width = 20;
  std::string text, group;
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

std::string keys_section(const std::vector<ParamSpec>& specs) {
  return "Keys, as key=value, with their defaults:\n" + keys_text(specs);
}

}  // namespace orrery
