#include "experiments/studies/training/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/errors.h"

namespace orrery {
namespace {

// ---- Symbols -----------------------------------------------------------------------------------

std::vector<std::int32_t> random_symbols(Random& random, Index count, Index symbols) {
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(count));
  for (std::int32_t& symbol : drawn) symbol = static_cast<std::int32_t>(random.integer(symbols));
  return drawn;
}

std::vector<std::int32_t> shuffled_symbols(Random& random, Index symbols) {
  std::vector<std::int32_t> all;
  for (const Index symbol : random_order(random, symbols))
    all.push_back(static_cast<std::int32_t>(symbol));
  return all;
}

/// A sequence as it is written down: tokens, and for each what should be said there.
class Writer {
 public:
  explicit Writer(DrawnSequences& to) : to_(to), first_(to.tokens.size()) {}

  void add(std::int32_t token, std::int32_t target = no_target) {
    to_.tokens.push_back(token);
    to_.targets.push_back(target);
  }
  std::size_t size() const { return to_.tokens.size() - first_; }
  /// Asks for the token behind token i.
  void ask_for_next(std::size_t i) { to_.targets[first_ + i] = to_.tokens[first_ + i + 1]; }

 private:
  DrawnSequences& to_;
  std::size_t first_;
};

/// Writes one sequence of that many tokens, of symbols 0 … symbols − 1 and some more.
using WriteSequence = std::function<void(Random&, Index length, Index symbols, Writer&)>;

class SymbolTask final : public Task {
 public:
  SymbolTask(Index symbols, Index vocabulary, WriteSequence write)
      : symbols_(symbols), vocabulary_(vocabulary), write_(std::move(write)) {}
  Index vocabulary() const override { return vocabulary_; }
  void draw(Random& random, Index length, TextPart /*part*/, DrawnSequences& to) const override {
    Writer writer(to);
    write_(random, length, symbols_, writer);
    while (static_cast<Index>(writer.size()) < length) writer.add(0);
  }

 private:
  Index symbols_, vocabulary_;
  WriteSequence write_;
};

/// A block of 2 … length/2 symbols again and again; from its first repetition on the next is asked.
void copy(Random& random, Index length, Index symbols, Writer& writer) {
  const Index period = 2 + random.integer(length / 2 - 1);
  const auto block = random_symbols(random, period, symbols);
  const auto at = [&](Index i) { return block[static_cast<std::size_t>(i % period)]; };
  for (Index i = 0; i < length; ++i) writer.add(at(i), i + 1 < period ? no_target : at(i + 1));
}

/// Random symbols; asked is the one that lies `distance` back.
WriteSequence copy_at(Index distance) {
  return [=](Random& random, Index length, Index symbols, Writer& writer) {
    const auto drawn = random_symbols(random, length, symbols);
    for (Index i = 0; i < length; ++i)
      writer.add(drawn[static_cast<std::size_t>(i)],
                 i < distance ? no_target : drawn[static_cast<std::size_t>(i - distance)]);
  };
}

/// Symbols in random order, then pairs of neighbours of it: behind the first of a pair its
/// neighbour is asked.
void induction(Random& random, Index length, Index symbols, Writer& writer) {
  const Index shown = std::min<Index>(symbols, length / 2);
  const auto order = shuffled_symbols(random, symbols);
  for (Index i = 0; i < shown; ++i) writer.add(order[static_cast<std::size_t>(i)]);
  while (static_cast<Index>(writer.size()) + 2 <= length) {
    const auto j = static_cast<std::size_t>(random.integer(shown - 1));
    writer.add(order[j], order[j + 1]);
    writer.add(order[j + 1]);
  }
}

/// Symbols, a sign, and the same symbols in another order, which is asked.
WriteSequence reordered(void (*order)(std::vector<std::int32_t>&)) {
  return [=](Random& random, Index length, Index symbols, Writer& writer) {
    auto block = random_symbols(random, length / 2, symbols);
    for (const std::int32_t symbol : block) writer.add(symbol);
    order(block);
    writer.add(static_cast<std::int32_t>(symbols), block.front());
    for (std::size_t i = 0; i + 1 < block.size() && static_cast<Index>(writer.size()) < length; ++i)
      writer.add(block[i], block[i + 1]);
  };
}

/// Pairs of a key and a value, then keys, whose values are asked.
void recall(Random& random, Index length, Index symbols, Writer& writer) {
  const Index pairs = std::min<Index>(symbols, length / 3);
  const auto keys = shuffled_symbols(random, symbols);
  const auto values = random_symbols(random, pairs, symbols);
  const auto value_of = [&](std::size_t i) {
    return values[i] + static_cast<std::int32_t>(symbols);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    writer.add(keys[i]);
    writer.add(value_of(i));
  }
  while (static_cast<Index>(writer.size()) < length) {
    const auto i = static_cast<std::size_t>(random.integer(pairs));
    writer.add(keys[i], value_of(i));
  }
}

/// Nested brackets of so many kinds; before each that closes, which one it is is asked.
void brackets(Random& random, Index length, Index kinds, Writer& writer) {
  constexpr std::size_t deepest = 8;
  std::vector<std::int32_t> open;
  for (Index i = 0; i < length; ++i) {
    const bool opens = open.empty() || (open.size() < deepest && random.integer(2) == 0);
    if (opens) {
      open.push_back(static_cast<std::int32_t>(random.integer(kinds)));
      writer.add(open.back());
      continue;
    }
    writer.add(open.back() + static_cast<std::int32_t>(kinds));
    open.pop_back();
    writer.ask_for_next(writer.size() - 2);
  }
}

// ---- Texts -------------------------------------------------------------------------------------

/// The bytes of a text, of which the last tenth is held out: the next byte is asked, or 15 % of the
/// bytes, which are replaced by a mask.
class TextTask final : public Task {
 public:
  TextTask(const Text& text, Index length, bool masked) : masked_(masked) {
    std::array<std::int32_t, 256> id_of{};
    id_of.fill(-1);
    for (const char c : text.utf8) id_of[static_cast<unsigned char>(c)] = 0;
    for (std::size_t byte = 0; byte < id_of.size(); ++byte) {
      if (id_of[byte] < 0) continue;
      id_of[byte] = static_cast<std::int32_t>(bytes_.size());
      bytes_.push_back(static_cast<int>(byte));
    }
    for (const char c : text.utf8) ids_.push_back(id_of[static_cast<unsigned char>(c)]);
    learned_ = ids_.size() - ids_.size() / 10;
    const auto least = static_cast<std::size_t>(length) + 2;
    if (ids_.size() - learned_ < least)
      throw DataError(fmt::format("{} has {} bytes", text.name, ids_.size()),
                      fmt::format("its last tenth, which is held out, must have {}", least),
                      "give a longer text, or lower tokens or extrapolation");
  }

  Index vocabulary() const override { return bytes() + (masked_ ? 1 : 0); }
  std::vector<int> bytes_of_tokens() const override { return bytes_; }
  bool causal() const override { return !masked_; }
  void draw(Random& random, Index length, TextPart part, DrawnSequences& to) const override {
    constexpr double masked_share = 0.15;
    const auto ids = excerpt(random, masked_ ? length : length + 1, part);
    if (!masked_) {
      to.tokens.insert(to.tokens.end(), ids.begin(), ids.end() - 1);
      to.targets.insert(to.targets.end(), ids.begin() + 1, ids.end());
      return;
    }
    for (const std::int32_t id : ids) {
      const bool masked = random.uniform() < masked_share;
      to.tokens.push_back(masked ? bytes() : id);
      to.targets.push_back(masked ? id : no_target);
    }
  }

 private:
  /// `count` bytes that follow each other, from anywhere in the part.
  std::span<const std::int32_t> excerpt(Random& random, Index count, TextPart part) const {
    const std::size_t first = part == TextPart::learned ? 0 : learned_;
    const std::size_t end = part == TextPart::learned ? learned_ : ids_.size();
    const auto starts = static_cast<std::int64_t>(end - first) - count + 1;
    return std::span<const std::int32_t>(ids_).subspan(
        first + static_cast<std::size_t>(random.integer(starts)), static_cast<std::size_t>(count));
  }
  std::int32_t bytes() const { return static_cast<std::int32_t>(bytes_.size()); }

  bool masked_;
  std::vector<std::int32_t> ids_{};
  std::vector<int> bytes_{};  ///< different ones, in order
  std::size_t learned_{};
};

}  // namespace

std::vector<Choice> task_choices() {
  return {{"copy", "repeat a random block, whose length is another in every sequence"},
          {"copy_at", "say the symbol that lies `distance` back"},
          {"induction", "say what followed the symbol the last time"},
          {"reverse", "say a block backwards"},
          {"recall", "say the value that belongs to a key"},
          {"sort", "say the symbols of a block in order"},
          {"brackets", "close the bracket that was opened last"},
          {"masked_language", "say the hidden bytes of a text, seeing both sides"},
          {"causal_language", "say the next byte of a text"}};
}

std::vector<std::string> text_tasks() { return {"masked_language", "causal_language"}; }

std::vector<std::string> symbol_tasks() {
  std::vector<std::string> names;
  const std::vector<std::string> texts = text_tasks();
  for (const Choice& choice : task_choices())
    if (std::ranges::find(texts, choice.name) == texts.end()) names.push_back(choice.name);
  return names;
}

std::unique_ptr<const Task> make_task(const ParamSet& params, const Inputs& inputs) {
  const std::string& name = params.text("task");
  const Index symbols = params.integer("symbols");
  const auto task = [&](Index vocabulary, WriteSequence write) {
    return std::make_unique<SymbolTask>(symbols, vocabulary, std::move(write));
  };
  if (name == "copy") return task(symbols, copy);
  if (name == "copy_at") return task(symbols, copy_at(params.integer("distance")));
  if (name == "induction") return task(symbols, induction);
  if (name == "recall") return task(2 * symbols, recall);
  if (name == "brackets") return task(2 * symbols, brackets);
  if (name == "reverse")
    return task(symbols + 1, reordered([](auto& block) { std::ranges::reverse(block); }));
  if (name == "sort")
    return task(symbols + 1, reordered([](auto& block) { std::ranges::sort(block); }));
  const auto found = inputs.find("text");
  if (found == inputs.end())
    throw UsageError(fmt::format("task={} without a text", name), "it reads one", "give text=FILE");
  const auto& text = std::get<Text>(found->second);
  const Index longest = params.integer("tokens") * params.integer("extrapolation");
  return std::make_unique<TextTask>(text, longest, name == "masked_language");
}

Index shortest_sequence(const ParamSet& params) {
  constexpr Index of_any = 6;
  return params.text("task") == "copy_at" ? std::max<Index>(of_any, params.integer("distance") + 1)
                                          : of_any;
}

DrawnSequences draw_sequences(const Task& task, Random& random, Index sequences, Index length,
                              TextPart part) {
  DrawnSequences drawn{.length = length};
  for (Index s = 0; s < sequences; ++s) task.draw(random, length, part, drawn);
  return drawn;
}

std::vector<std::int32_t> repeated_block(std::int64_t seed, Index symbols, Index half) {
  Random random(seed, "a repeated block");
  const std::vector<std::int32_t> block = random_symbols(random, half, symbols);
  std::vector<std::int32_t> twice = block;
  twice.insert(twice.end(), block.begin(), block.end());
  return twice;
}

}  // namespace orrery
