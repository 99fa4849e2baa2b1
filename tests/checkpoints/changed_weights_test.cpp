// Every tensor of every golden model, one after another, in other shapes, of another type, and not there: the model
// is refused, or its numbers stay as they were.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "core/transformer/forward.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/files/file.h"
#include "tests/checkpoints/family_models.h"
#include "tests/checkpoints/weight_files.h"
#include "tests/support/paths.h"
#include "tests/support/sampled.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t largest_golden_file = std::uintmax_t{1} << 24;
using Sizes = std::vector<std::uint64_t>;

std::uint64_t product_of(const Sizes& shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t d : shape) product *= d;
  return product;
}

/// A tensor with its bytes, as a file has it. Of a GGUF `type` is a number, and the shape begins with the fastest.
struct RawTensor {
  std::string name{}, type{};
  Sizes shape{};
  std::string bytes{};
};

std::uint64_t read_word(std::string_view bytes, std::size_t at, std::size_t count = 8) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return word;
}

// ---- safetensors -------------------------------------------------------------------------------------------------

void add_safetensors(const std::string& bytes, std::vector<RawTensor>& tensors) {
  const std::size_t header = read_word(bytes, 0);
  const auto json = nlohmann::json::parse(bytes.substr(8, header));
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
    tensors.push_back({name, entry["dtype"], entry["shape"].get<Sizes>(),
                       bytes.substr(8 + header + begin, end - begin)});
  }
}

std::string safetensors_of(const std::vector<RawTensor>& tensors) {
  std::vector<SafetensorsPart> parts;
  std::string data;
  for (const RawTensor& tensor : tensors) {
    parts.push_back({tensor.name, tensor.type, tensor.shape, tensor.bytes.size()});
    data += tensor.bytes;
  }
  std::uint64_t bytes = 0;
  return safetensors_head(parts, bytes) + data;
}

// ---- GGUF --------------------------------------------------------------------------------------------------------

constexpr std::size_t gguf_alignment = 32;

/// Reads past the values of a GGUF's metadata.
class GgufReader {
 public:
  explicit GgufReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t word(std::size_t count = 8) {
    at_ += count;
    return read_word(bytes_, at_ - count, count);
  }
  std::string_view text() {
    const std::size_t size = word();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  void skip_value(std::uint64_t type) {
    constexpr std::array<std::size_t, 13> widths{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == 8) {
      text();
    } else if (type == 9) {
      const std::uint64_t element = word(4), count = word();
      for (std::uint64_t i = 0; i < count; ++i) skip_value(element);
    } else {
      at_ += widths.at(type);
    }
  }
  std::size_t at() const { return at_; }

 private:
  std::string_view bytes_;
  std::size_t at_{0};
};

/// A GGUF in pieces: its keys as they are, and its tensors.
struct RawGguf {
  std::string keys{};
  std::uint64_t key_count{};
  std::vector<RawTensor> tensors{};
};

RawGguf raw_gguf(const std::string& bytes) {
  GgufReader reader(bytes);
  reader.word();  // magic and version
  const std::uint64_t tensors = reader.word();
  RawGguf file{.key_count = reader.word()};
  const std::size_t first_key = reader.at();
  for (std::uint64_t i = 0; i < file.key_count; ++i) {
    reader.text();
    reader.skip_value(reader.word(4));
  }
  file.keys = bytes.substr(first_key, reader.at() - first_key);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    RawTensor tensor{.name = std::string(reader.text())};
    for (std::uint64_t d = reader.word(4); d > 0; --d) tensor.shape.push_back(reader.word());
    tensor.type = std::to_string(reader.word(4));
    offsets.push_back(reader.word());
    file.tensors.push_back(std::move(tensor));
  }
  const std::size_t data = (reader.at() + gguf_alignment - 1) / gguf_alignment * gguf_alignment;
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    const std::uint64_t width = file.tensors[i].type == "0" ? 4 : 2;  // F32, else F16 or BF16
    file.tensors[i].bytes =
        bytes.substr(data + offsets[i], product_of(file.tensors[i].shape) * width);
  }
  return file;
}

std::string gguf_of(const RawGguf& file, const std::vector<RawTensor>& tensors) {
  std::string bytes =
      "GGUF" + gguf_word(3, 4) + gguf_word(tensors.size()) + gguf_word(file.key_count) + file.keys;
  std::string data;
  for (const RawTensor& tensor : tensors) {
    bytes += gguf_entry(tensor.name, tensor.shape,
                        static_cast<std::uint32_t>(std::stoul(tensor.type)), data.size());
    data += tensor.bytes;
    data.resize((data.size() + gguf_alignment - 1) / gguf_alignment * gguf_alignment);
  }
  bytes.resize((bytes.size() + gguf_alignment - 1) / gguf_alignment * gguf_alignment);
  return bytes + data;
}

// ---- What a model computes ---------------------------------------------------------------------------------------

/// Hidden states of every stack, and logits where there are any: bit by bit.
std::string numbers_of(const fs::path& path, const Expected& expected) {
  const auto ids = expected.integers("tokens"), decoder_ids = expected.integers("decoder_tokens");
  const Checkpoint model =
      Checkpoint::open(path, {.length = static_cast<std::int64_t>(ids.size())});
  std::string numbers;
  Matrix<double> memory;
  const auto keep = [&](const Matrix<double>& rows) {
    numbers.append(reinterpret_cast<const char*>(rows.data()),
                   static_cast<std::size_t>(rows.size()) * sizeof(double));
  };
  for (const Stack* stack : {&model.stack(), model.decoder()}) {
    if (!stack) continue;
    const bool decodes = stack == model.decoder();
    const auto weights = weight_source<double>(model, *stack);
    const auto segments = expected.integers("segments");
    const Matrix<double> hidden = forward<double>(
        stack->design, *weights, {.ids = decodes ? decoder_ids : ids, .segments = segments},
        {.memory = decodes ? &memory : nullptr});
    keep(hidden);
    if (stack->has_head()) keep(vocabulary_logits<double>(stack->design, *weights, hidden));
    memory = hidden;
  }
  return numbers;
}

// ---- Changes -----------------------------------------------------------------------------------------------------

/// Shapes near that of a tensor, without itself.
std::vector<Sizes> other_shapes(const Sizes& shape) {
  std::vector<Sizes> shapes;
  for (std::size_t d = 0; d < shape.size(); ++d)
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, shape[d] - 1, shape[d] + 1,
                                     2 * shape[d], std::uint64_t{4096}}) {
      Sizes changed = shape;
      changed[d] = size;
      shapes.push_back(changed);
    }
  Sizes fewer = shape, front = shape, behind = shape, swapped = shape;
  if (!fewer.empty()) fewer.erase(fewer.begin());
  front.insert(front.begin(), 1);
  behind.push_back(1);
  if (swapped.size() > 1) std::swap(swapped[0], swapped[1]);
  for (const Sizes& changed : {fewer, front, behind, swapped, Sizes{product_of(shape)}, Sizes{}})
    shapes.push_back(changed);
  std::erase(shapes, shape);
  return shapes;
}

RawTensor reshaped(const RawTensor& tensor, const Sizes& shape) {
  const std::uint64_t width = tensor.bytes.size() / product_of(tensor.shape);
  RawTensor changed{tensor.name, tensor.type, shape, {}};
  const std::uint64_t wanted = product_of(shape) * width;
  while (changed.bytes.size() < wanted) changed.bytes += tensor.bytes;
  changed.bytes.resize(wanted);
  return changed;
}

/// The file with a tensor in another's place, or without it.
std::vector<RawTensor> with(const std::vector<RawTensor>& tensors, std::size_t at,
                            const std::optional<RawTensor>& other) {
  std::vector<RawTensor> changed = tensors;
  if (other)
    changed[at] = *other;
  else
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
  return changed;
}

/// Counts of what became of changed models.
struct Outcome {
  std::size_t refused{}, same{};
  std::vector<std::string> other{};
};

/// Tries changes of a model's file, one at a time.
class Changes {
 public:
  using Write = std::function<fs::path(const std::vector<RawTensor>&)>;

  Changes(std::string name, std::vector<RawTensor> tensors, Write write, const Expected& expected)
      : name_(std::move(name)),
        tensors_(std::move(tensors)),
        write_(std::move(write)),
        expected_(expected),
        before_(numbers_of(write_(tensors_), expected_)) {}

  void try_all(Outcome& outcome, std::size_t& number) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const RawTensor& tensor = tensors_[i];
      if (is_tried(number++)) attempt(i, std::nullopt, "removed", outcome);
      for (const std::string_view type : {"I16", "I32", "BOOL"})
        if (!is_gguf() && is_tried(number++)) attempt(i, retyped(tensor, type), type, outcome);
      for (const Sizes& shape : other_shapes(tensor.shape))
        if (is_tried(number++))
          attempt(i, reshaped(tensor, shape), fmt::format("[{}]", fmt::join(shape, ", ")), outcome);
    }
  }

 private:
  bool is_gguf() const { return name_.ends_with(".gguf"); }

  static RawTensor retyped(const RawTensor& tensor, std::string_view type) {
    const std::uint64_t width = type == "I32" ? 4 : type == "I16" ? 2 : 1;
    RawTensor changed{tensor.name, std::string(type), tensor.shape, {}};
    changed.bytes.resize(product_of(tensor.shape) * width, '\1');
    return changed;
  }

  void attempt(std::size_t at, const std::optional<RawTensor>& other, std::string_view change,
               Outcome& outcome) {
    const std::string what = fmt::format("{}: {} {}", name_, tensors_[at].name, change);
    INFO(what);
    try {
      const std::string after = numbers_of(write_(with(tensors_, at, other)), expected_);
      if (after == before_)
        ++outcome.same;
      else if (before_.starts_with(after))
        ++outcome.refused;  // the head is gone, and with it the logits
      else
        outcome.other.push_back(what);
    } catch (const Error&) {
      ++outcome.refused;
    }
  }

  std::string name_;
  std::vector<RawTensor> tensors_;
  Write write_;
  const Expected& expected_;
  std::string before_;
};

/// What no reader can tell. Of GGUFs: llama.cpp takes the tokens' vectors for a head that is not there and does not scale
/// RoPE without its factors, and no key says whether they were there; these have no tokenizer, and so no size of the
/// vocabulary. Transformers takes cls.predictions.bias or lm_head.bias where there is none of the decoder, and these
/// models have other numbers in each. It computes RoFormer's table of positions where the file has none, and a stored one
/// is rounded.
bool is_undecidable(std::string_view what) {
  return what.ends_with("gguf: output.weight removed") ||
         what.ends_with("gguf: rope_freqs.weight removed") ||
         what.ends_with("gguf: rope_factors_long.weight removed") ||
         what.ends_with("gguf: rope_factors_short.weight removed") ||
         what.find("gguf: token_embd.weight [") != std::string_view::npos ||
         what.ends_with(".decoder.bias removed") ||
         what.ends_with("roformer.encoder.embed_positions.weight removed");
}

}  // namespace

TEST_CASE("Safetensors with a tensor of another shape or type, or without it, change no number") {
  Outcome outcome;
  std::size_t number = 0;
  for (const fs::path& model : family_models()) {
    if (model.filename() == "deberta-talking") continue;  // refused as it is
    const TempFolder folder;
    fs::copy_file(model / "config.json", folder.path() / "config.json");
    std::vector<RawTensor> tensors;
    for (const auto& entry : fs::directory_iterator(model))
      if (entry.path().extension() == ".safetensors")
        add_safetensors(read_file(entry.path(), largest_golden_file), tensors);
    const Expected expected(model);
    Changes(
        model.filename().string(), std::move(tensors),
        [&](const std::vector<RawTensor>& changed) {
          folder.file("model.safetensors", safetensors_of(changed));
          return folder.path();
        },
        expected)
        .try_all(outcome, number);
  }
  std::erase_if(outcome.other, is_undecidable);
  CAPTURE(outcome.refused, outcome.same, number);
  CHECK(outcome.refused > (all_is_tried() ? 35000 : 5000));
  CHECK(outcome.other == std::vector<std::string>());
}

TEST_CASE("A GGUF with a tensor of another shape, or without it, changes no number") {
  Outcome outcome;
  std::size_t number = 0;
  for (const auto& entry : fs::directory_iterator(tests_folder() + "/golden/transformer_gguf")) {
    const RawGguf file = raw_gguf(read_file(entry.path(), largest_golden_file));
    const TempFolder folder;
    std::string model = entry.path().stem().string();
    if (model == "t5encoder-off") model = "t5-off";
    const Expected expected(tests_folder() + "/golden/transformer/" + model);
    Changes(
        entry.path().filename().string(), file.tensors,
        [&](const std::vector<RawTensor>& changed) {
          return fs::path(folder.file("model.gguf", gguf_of(file, changed)));
        },
        expected)
        .try_all(outcome, number);
  }
  std::erase_if(outcome.other, is_undecidable);
  CAPTURE(outcome.refused, outcome.same, number);
  CHECK(outcome.refused > (all_is_tried() ? 13000 : 1800));
  CHECK(outcome.other == std::vector<std::string>());
}
