#include "experiments/data/tensor_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

#include "core/errors.h"
#include "experiments/data/tensor_files.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

namespace in_tensor_pairs {

struct Words {
  const char* before;
  const char* after;
};
constexpr std::array<Words, 2> words{{{"before", "after"}, {"pre", "post"}}};

bool is_word_end(const std::string& text, std::size_t at) {
  return at >= text.size() || !std::isalpha(static_cast<unsigned char>(text[at]));
}

/// Where the word stands by itself; npos where it does not.
std::size_t find_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || is_word_end(text, at - 1)) && is_word_end(text, at + word.size())) return at;
  return std::string::npos;
}

/// The name without the word and the separators beside it.
std::string without_word(const std::string& text, std::size_t at, std::size_t length) {
  const auto is_separator = [](char c) { return c == '_' || c == '.' || c == '-' || c == '#'; };
  std::string head = text.substr(0, at), tail = text.substr(at + length);
  while (!head.empty() && is_separator(head.back())) head.pop_back();
  while (!tail.empty() && is_separator(tail.front())) tail.erase(tail.begin());
  return head.empty() || tail.empty() ? head + tail : head + "." + tail;
}

std::optional<int> number_at(const std::string& text, std::size_t from) {
  const std::size_t digit = text.find_first_of("0123456789", from);
  if (digit == std::string::npos) return std::nullopt;
  int number = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data() + digit, end, number).ec != std::errc()) return std::nullopt;
  return number;
}

std::optional<int> layer_of(const std::string& name) {
  const std::size_t word = name.find("layer");
  if (const auto number = number_at(name, word == std::string::npos ? 0 : word)) return number;
  return number_at(name, 0);
}

/// Every tensor by its short name, with the path that reads it.
std::map<std::string, std::string> tensors_at(const fs::path& path) {
  std::map<std::string, std::string> found;
  const auto add_file = [&](const fs::path& file, const std::string& prefix) {
    const std::string shown = file.string();
    if (file.extension() == ".npy") {
      found[file.stem().string()] = shown;
      return;
    }
    const MappedFile mapped(file, shown);  // names need its header alone
    if (mapped.bytes().size() > max_tensor_file_bytes) read_file(file, max_tensor_file_bytes);
    for (const std::string& name : open_tensors(mapped.bytes(), file, shown)->names())
      found[prefix + name] = shown + "#" + name;
  };
  const bool is_folder = fs::is_directory(path);
  for (const fs::path& file : files_of_pairs(path))
    add_file(file, is_folder ? file.stem().string() + "#" : "");
  return found;
}

/// Digits padded, so that layer 10 follows layer 9.
std::string sort_key(const std::string& name) {
  std::string key, digits;
  for (const char c : name + " ") {
    if (std::isdigit(static_cast<unsigned char>(c))) {
      digits += c;
      continue;
    }
    if (!digits.empty()) key += fmt::format("{:0>12}", digits);
    digits.clear();
    key += c;
  }
  return key;
}

}  // namespace in_tensor_pairs
}  // namespace

std::vector<TensorPair> tensor_pairs(const fs::path& path) {
  using namespace in_tensor_pairs;
  const std::map<std::string, std::string> tensors = tensors_at(path);
  std::vector<TensorPair> pairs;
  for (const auto& [name, where] : tensors)
    for (const Words& word : words) {
      const std::string before = word.before;
      const std::size_t at = find_word(name, before);
      if (at == std::string::npos) continue;
      std::string other = name;
      other.replace(at, before.size(), word.after);
      const auto after = tensors.find(other);
      if (after == tensors.end()) continue;
      const std::string shared = without_word(name, at, before.size());
      pairs.push_back({shared, where, after->second, layer_of(shared)});
    }
  std::sort(pairs.begin(), pairs.end(), [](const TensorPair& a, const TensorPair& b) {
    return sort_key(a.name) < sort_key(b.name);
  });
  if (!pairs.empty()) return pairs;
  throw UsageError(fmt::format("{} with {} tensors", path.string(), tensors.size()),
                   "has no two whose names differ in before and after alone",
                   "name them layer0.q.before and layer0.q.after, or give two files");
}

std::vector<fs::path> files_of_pairs(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".npy" || extension == ".npz" || extension == ".safetensors")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Tensor read_named_tensor(const std::string& path) {
  const TensorPath at = tensor_path(path);
  const std::string shown = at.file.string();
  require_tensor_file(at.file, shown);
  const std::string bytes = read_tensor_file(at.file, shown, {at.tensor});
  const auto archive = open_tensors(bytes, at.file, shown);
  return archive->tensor(resolve_tensor_name(archive->names(), at.tensor, shown));
}

}  // namespace orrery
