#include "experiments/data/tensor_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/position.h"
#include "experiments/data/npy.h"
#include "experiments/data/npz.h"
#include "experiments/data/safetensors.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

class NpyFile final : public TensorArchive {
 public:
  NpyFile(std::string_view bytes, std::string stem, std::string display_name)
      : bytes_(bytes), stem_(std::move(stem)), said_as_(std::move(display_name)) {}

  std::vector<std::string> names() const override { return {stem_}; }

  Tensor tensor(const std::string& name, Values allowed) const override {
    Tensor tensor = parse_npy(bytes_, said_as_, allowed);
    tensor.name = name;
    return tensor;
  }

  std::optional<PlacedArray> place(const std::string&) const override {
    return place_npy(bytes_, said_as_);
  }

 private:
  std::string_view bytes_;
  std::string stem_;
  std::string said_as_;
};

std::string extension_of(const std::filesystem::path& file) {
  return lower_ascii(file.extension().string());
}

bool is_tensor_file(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  return extension == ".npy" || extension == ".npz" || extension == ".safetensors";
}

std::int64_t whole_number(std::string_view text) {
  std::int64_t number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size())
    throw UsageError(fmt::format("position {}", text), "must be a whole number",
                     "write positions like 0..9 or 3+1+4");
  if (status == std::errc::result_out_of_range || number < -max_position || number > max_position)
    throw position_out_of_range(text);
  return number;
}

}  // namespace

TensorPath tensor_path(std::string_view text) {
  for (std::size_t mark = text.find('#'); mark != std::string_view::npos;
       mark = text.find('#', mark + 1))
    if (is_tensor_file(text.substr(0, mark)))
      return {.file = text.substr(0, mark),
              .tensor = std::string(text.substr(mark + 1)),
              .is_named = true};
  return {.file = text};
}

void require_tensor_file(const std::filesystem::path& file, const std::string& display_name) {
  if (!is_tensor_file(file))
    throw UsageError(display_name, "must be a .npy, .npz or .safetensors file",
                     "save the array with numpy.save(\"array.npy\", array)");
}

std::unique_ptr<TensorArchive> open_tensors(std::string_view bytes,
                                            const std::filesystem::path& file,
                                            const std::string& display_name) {
  require_tensor_file(file, display_name);
  const std::string extension = extension_of(file);
  if (extension == ".npy")
    return std::make_unique<NpyFile>(bytes, file.stem().string(), display_name);
  if (extension == ".npz") return open_npz(bytes, display_name);
  return open_safetensors(bytes, display_name);
}

std::string read_tensor_file(const std::filesystem::path& path, const std::string& display_name,
                             const std::vector<std::string>& tensors) {
  if (const MappedFile file(path, display_name); file.bytes().size() <= max_tensor_file_bytes) {
    const auto archive = open_tensors(file.bytes(), path, display_name);
    const std::vector<std::string> names = archive->names();
    for (const std::string& wanted : tensors) {
      const std::string& name = wanted.empty() ? names.front() : wanted;
      if (std::find(names.begin(), names.end(), name) != names.end())
        archive->require_readable(name);
    }
  }
  return read_file(path, max_tensor_file_bytes, display_name);
}

TensorMap read_tensors(const std::filesystem::path& path) {
  const std::string display_name = path.string();
  require_tensor_file(path, display_name);
  const std::string bytes = read_tensor_file(path, display_name, {""});
  return all_tensors(*open_tensors(bytes, path, display_name), display_name);
}

std::optional<Tensor> listed_numbers(const std::string& text) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  std::error_code none;
  if (text.find_first_not_of("0123456789-+.") != std::string::npos ||
      std::filesystem::exists(text, none))
    return std::nullopt;
  Tensor tensor{.name = text};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const std::size_t dots = part.find("..");
    const std::int64_t first = whole_number(part.substr(0, dots));
    const std::int64_t last =
        dots == std::string_view::npos ? first : whole_number(part.substr(dots + 2));
    if (last < first || last - first >= most - static_cast<std::int64_t>(tensor.values.size()))
      throw UsageError(fmt::format("{} of {}", part, text),
                       fmt::format("must count up, to at most {} numbers", most),
                       "write numbers like 0..9 or 3+1+4");
    for (std::int64_t n = first; n <= last; ++n) tensor.values.push_back(static_cast<double>(n));
    begin = end + 1;
  }
  tensor.shape = {tensor.values.size()};
  return tensor;
}

}  // namespace orrery
