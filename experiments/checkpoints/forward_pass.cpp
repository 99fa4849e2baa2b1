#include "experiments/checkpoints/forward_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/attention/multi_head.h"
#include "core/errors.h"
#include "core/param_specs.h"
#include "core/transformer/forward.h"
#include "experiments/checkpoints/checkpoint.h"

namespace orrery {
namespace {

/// What can be written of a pass.
struct PassArray {
  enum class Axes {
    tokens,      ///< [N]
    losses,      ///< [N − 1]
    vocabulary,  ///< [N, vocabulary]
    states,      ///< NAME.0 … NAME.L of [N, d_model]: before the first layer and behind each
    layers,      ///< NAME.0 … of [N, d_model]
    heads,       ///< NAME.0 … of [heads, N, channels]
    kv_heads,    ///< the same of [kv_heads, N, channels]
    maps,        ///< NAME.0 … of [heads, N, N]
  };
  std::string_view name{};
  std::string_view description{};
  Axes axes{};
  Quantity quantity{};
};

using Axes = PassArray::Axes;

constexpr PassArray all_arrays[] = {
    {"tokens", "ids that were read", Axes::tokens, {}},
    {"loss", "−ln p of the next token, nats", Axes::losses, {}},
    {"logits", "of the vocabulary", Axes::vocabulary, {}},
    {"hidden", "residual stream before layer 0 and behind each layer", Axes::states,
     Quantity::hidden},
    {"q", "queries, after norm and position", Axes::heads, Quantity::queries},
    {"k", "keys, after norm and position", Axes::kv_heads, Quantity::keys},
    {"v", "values", Axes::kv_heads, Quantity::values},
    {"scores", "logits of attention before the mask", Axes::maps, Quantity::logits},
    {"attention", "weights of attention", Axes::maps, Quantity::weights},
    {"head_output", "weighted sums of values, which the output projection reads", Axes::heads,
     Quantity::head_output},
    {"attention_output", "what attention adds to the residual stream", Axes::layers,
     Quantity::attention},
    {"feed_forward", "what feed-forward adds to it", Axes::layers, Quantity::feed_forward},
};

/// Numbers of logits that are held at once.
constexpr Index logits_at_once = Index{1} << 22;

const PassArray& array_named(const std::string& name) {
  for (const PassArray& one : all_arrays)
    if (one.name == name) return one;
  throw UsageError("arrays=" + name, "is no array of a pass", "orrery describe forward lists them");
}

/// Whether a pass gives losses: of a decoder that looks back and has a head.
bool gives_losses(const Checkpoint& checkpoint, const PassInputs& inputs) {
  if (checkpoint.decoder() && inputs.decoder_tokens.empty()) return false;
  const Stack& stack = checkpoint.last_stack();
  const std::size_t tokens =
      checkpoint.decoder() ? inputs.decoder_tokens.size() : inputs.tokens.size();
  return stack.has_head() && stack.design.attention.causal && tokens > 1;
}

/// The numbers that were asked for, or all; each below `count`.
std::vector<int> chosen(const std::vector<std::int64_t>& wanted, std::int64_t count,
                        const char* what) {
  std::set<int> numbers;
  for (const std::int64_t number : wanted) {
    if (number < 0 || number >= count)
      throw UsageError(fmt::format("{} {}", what, number),
                       fmt::format("the model has {} of them", count),
                       fmt::format("give numbers from 0 to {}", count - 1));
    numbers.insert(static_cast<int>(number));
  }
  if (wanted.empty())
    for (int i = 0; i < static_cast<int>(count); ++i) numbers.insert(i);
  return {numbers.begin(), numbers.end()};
}

/// The arrays of one stack, and where what a pass shows belongs in them.
class StackArrays {
 public:
  StackArrays(const Stack& stack, Index tokens, std::string prefix, const PassRequest& request)
      : stack_(stack), tokens_(tokens), prefix_(std::move(prefix)), single_(request.single) {
    const auto layers = static_cast<std::int64_t>(stack.design.layers.size());
    const AttentionDesign& attention = stack.design.attention;
    layers_ = chosen(request.layers, layers, "layer");
    heads_ = chosen(request.heads, attention.heads, "head");
    const HeadGroups groups(attention.heads, attention.kv_heads);
    for (const int head : heads_) {
      const int kv = groups.kv_head(head);
      if (kv_heads_.empty() || kv_heads_.back() != kv) kv_heads_.push_back(kv);
    }
    for (const std::string& name : request.arrays) wanted_.push_back(&array_named(name));
    // Of a layer's states both, that which it reads and that which it leaves.
    std::set<int> states(layers_.begin(), layers_.end());
    for (const int layer : layers_) states.insert(layer + 1);
    states_.assign(states.begin(), states.end());
  }

  /// Appends what will come to the list of all arrays.
  void announce(std::vector<Array>& arrays) {
    for (const PassArray* one : wanted_)
      for (const int layer : layers_of(one->axes)) add(*one, layer, arrays);
  }

  bool wants(const Site& site) const { return !site.of_memory && find(site) != places_.end(); }

  std::size_t place_of(const Site& site) const { return find(site)->second; }

  bool asks(Axes axes) const {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [&](const PassArray* one) { return one->axes == axes; });
  }

 private:
  using Key = std::pair<Quantity, int>;

  std::vector<int> layers_of(Axes axes) const {
    if (axes == Axes::states) return states_;
    const bool by_layer =
        axes == Axes::layers || axes == Axes::heads || axes == Axes::kv_heads || axes == Axes::maps;
    return by_layer ? layers_ : std::vector<int>{};
  }

  std::map<Key, std::size_t>::const_iterator find(const Site& site) const {
    const auto place = places_.find({site.quantity, site.layer});
    if (place == places_.end()) return place;
    const bool of_head = site.quantity == Quantity::queries || site.quantity == Quantity::logits ||
                         site.quantity == Quantity::weights ||
                         site.quantity == Quantity::head_output;
    const bool of_kv = site.quantity == Quantity::keys || site.quantity == Quantity::values;
    const std::vector<int>& listed = of_kv ? kv_heads_ : heads_;
    const bool seen = std::find(listed.begin(), listed.end(), site.head) != listed.end();
    return (of_head || of_kv) && !seen ? places_.end() : place;
  }

  void add(const PassArray& one, int layer, std::vector<Array>& arrays) {
    const auto n = static_cast<std::size_t>(tokens_);
    const AttentionDesign& a = stack_.design.attention;
    const bool of_values =
        one.quantity == Quantity::values || one.quantity == Quantity::head_output;
    const auto channels = static_cast<std::size_t>(of_values ? a.d_value : a.d_head);
    const auto width = static_cast<std::size_t>(stack_.places.layers.front().attention.o.out);
    Array array{.name = fmt::format("{}{}.{}", prefix_, one.name, layer),
                .description = std::string(one.description)};
    switch (one.axes) {
      case Axes::heads:
        array.shape = {heads_.size(), n, channels};
        array.axes = {"head", "token", "channel"};
        break;
      case Axes::kv_heads:
        array.shape = {kv_heads_.size(), n, channels};
        array.axes = {"kv_head", "token", "channel"};
        break;
      case Axes::maps:
        array.shape = {heads_.size(), n, n};
        array.axes = {"head", "query", "key"};
        break;
      default:
        array.shape = {n, width};
        array.axes = {"token", "channel"};
    }
    if (single_) array.values = std::vector<float>{};
    places_[{one.quantity, layer}] = arrays.size();
    arrays.push_back(std::move(array));
  }

  const Stack& stack_;
  Index tokens_;
  std::string prefix_;
  bool single_;
  std::vector<int> layers_{}, states_{}, heads_{}, kv_heads_{};
  std::vector<const PassArray*> wanted_{};
  std::map<Key, std::size_t> places_{};
};

template <class Number>
void append_numbers(ArraySink& sink, std::size_t array, const Number* first, std::size_t count) {
  sink.append(array, {reinterpret_cast<const char*>(first), count * sizeof(Number)});
}

template <class T>
void append_rows(ArraySink& sink, std::size_t array, const MatrixIn<T>& rows) {
  const Matrix<T> dense = rows;
  append_numbers(sink, array, dense.data(), static_cast<std::size_t>(dense.size()));
}

std::vector<double> as_doubles(const std::vector<std::int32_t>& ids) {
  return {ids.begin(), ids.end()};
}

/// A pass over the stacks of a model with its arrays.
template <class T>
class PassRun {
 public:
  PassRun(const Checkpoint& model, const PassInputs& inputs, const PassRequest& request,
          ArraySink* sink)
      : model_(model), inputs_(inputs), request_(request), sink_(sink) {
    const bool two = model.decoder() && !inputs.decoder_tokens.empty();
    add(model.stack(), inputs.tokens, model.decoder() ? "encoder." : "");
    if (two) add(*model.decoder(), inputs.decoder_tokens, "decoder.");
  }

  PassResult run() {
    check();
    announce();
    if (sink_) sink_->begin(result_.arrays);
    for (std::size_t s = 0; s < stacks_.size(); ++s) pass(s);
    return std::move(result_);
  }

 private:
  struct Part {
    const Stack& stack;
    const std::vector<std::int32_t>& tokens;
    StackArrays arrays;
  };

  void add(const Stack& stack, const std::vector<std::int32_t>& tokens, const char* prefix) {
    stacks_.push_back(
        {stack, tokens, StackArrays(stack, static_cast<Index>(tokens.size()), prefix, request_)});
  }

  const Part& last() const { return stacks_.back(); }
  bool asks(Axes axes) const { return last().arrays.asks(axes); }

  void check() const {
    for (const Part& part : stacks_)
      if (part.tokens.empty())
        throw UsageError("no tokens", "a pass reads at least one", "give a longer text");
    if (asks(Axes::losses) && !gives_losses(model_, inputs_))
      throw UsageError("arrays=loss", "are of the next token, which this model does not predict",
                       "leave it out: the model looks both ways, or has no head");
    if (asks(Axes::vocabulary) && !last().stack.has_head())
      throw UsageError("arrays=logits", "need a head, which the file does not have",
                       "leave it out, or take a file with the head");
  }

  /// Announces in the order of the table: what belongs to no layer comes first.
  void announce() {
    const std::size_t n = last().tokens.size();
    if (asks(Axes::tokens)) tokens_at_ = add_array("tokens", {n}, {"token"}, false);
    if (asks(Axes::losses)) losses_at_ = add_array("loss", {n - 1}, {"token"}, false);
    if (asks(Axes::vocabulary)) {
      const auto words = static_cast<std::size_t>(last().stack.places.vocabulary.out);
      logits_at_ = add_array("logits", {n, words}, {"token", "vocabulary"}, request_.single);
    }
    for (Part& part : stacks_) part.arrays.announce(result_.arrays);
  }

  std::size_t add_array(const char* name, std::vector<std::size_t> shape,
                        std::vector<std::string> axes, bool single) {
    Array array{.name = name,
                .description = std::string(array_named(name).description),
                .shape = std::move(shape),
                .axes = std::move(axes)};
    if (single) array.values = std::vector<float>{};
    result_.arrays.push_back(std::move(array));
    return result_.arrays.size() - 1;
  }

  void pass(std::size_t s) {
    const Part& part = stacks_[s];
    const auto weights = weight_source<T>(model_, part.stack, request_.threads);
    const bool decodes = s > 0;
    PassOptions<T> options{
        .probe = probe(part), .threads = request_.threads, .memory = decodes ? &memory_ : nullptr};
    const TokenSequence tokens{.ids = part.tokens,
                               .segments = decodes
                                               ? std::span<const std::int32_t>{}
                                               : std::span<const std::int32_t>(inputs_.segments)};
    memory_ = forward<T>(part.stack.design, *weights, tokens, options);
    if (&part == &last()) write_ends(part, *weights);
  }

  Probe<T> probe(const Part& part) const {
    if (!sink_) return {};
    return {.wants = [&part](const Site& site) { return part.arrays.wants(site); },
            .see =
                [this, &part](const Site& site, Index, const MatrixIn<T>& rows) {
                  append_rows<T>(*sink_, part.arrays.place_of(site), rows);
                }};
  }

  void write_ends(const Part& part, WeightSource<T>& weights) {
    if (gives_losses(model_, inputs_))
      result_.losses =
          next_token_losses<T>(part.stack.design, weights, memory_, part.tokens, request_.threads);
    if (!sink_) return;
    if (asks(Axes::tokens)) {
      const std::vector<double> ids = as_doubles(part.tokens);
      append_numbers(*sink_, tokens_at_, ids.data(), ids.size());
    }
    if (asks(Axes::losses))
      append_numbers(*sink_, losses_at_, result_.losses.data(), result_.losses.size());
    if (asks(Axes::vocabulary)) write_logits(part, weights);
  }

  void write_logits(const Part& part, WeightSource<T>& weights) {
    const Index rows = std::max<Index>(1, logits_at_once / weights.vocabulary_size());
    for (Index first = 0; first < memory_.rows(); first += rows)
      append_rows<T>(*sink_, logits_at_,
                     vocabulary_logits<T>(
                         part.stack.design, weights,
                         memory_.middleRows(first, std::min<Index>(rows, memory_.rows() - first)),
                         request_.threads));
  }

  const Checkpoint& model_;
  const PassInputs& inputs_;
  const PassRequest& request_;
  ArraySink* sink_;
  std::vector<Part> stacks_{};
  Matrix<T> memory_{};  ///< the last stack's hidden states
  std::size_t tokens_at_{}, losses_at_{}, logits_at_{};
  PassResult result_{};
};

}  // namespace

std::vector<ParamSpec> forward_params() {
  const auto file = [](const char* key, const char* description, const char* type,
                       const char* usual = "") {
    return ParamSpec{.key = key,
                     .description = description,
                     .kind = ParamKind::file,
                     .default_value = std::string(usual),
                     .file_types = {type}};
  };
  ParamSpec arrays{.key = "arrays",
                   .description = "Arrays that are kept.",
                   .kind = ParamKind::choice_list,
                   .default_value = std::vector<std::string>{"tokens"},
                   .may_be_empty = true};
  for (const PassArray& one : all_arrays)
    arrays.choices.push_back({std::string(one.name), std::string(one.description)});
  return {
      file("text", "A text that the model's own tokenizer reads.", "*", "bundled:the_orrery.txt"),
      file("tokens", "Ids of the tokens in place of a text, [N].", "npy"),
      file("segments", "The segment of each token, [N]; default 0.", "npy"),
      file("decoder_tokens", "Ids that the decoder of an encoder-decoder reads, [N].", "npy"),
      std::move(arrays),
      count_param({"length", "$N$", "tokens"},
                  "At most so many tokens are read; 0 reads all ids, and of a text as many as the "
                  "longest sequences have that the model's file names.",
                  0, 0, 16777216)};
}

PassModel::PassModel(const std::filesystem::path& path, std::int64_t length)
    : checkpoint_(std::make_unique<const Checkpoint>(Checkpoint::open(path, {.length = length}))) {}
PassModel::~PassModel() = default;

std::string PassModel::name() const { return checkpoint_->store().name(); }
std::string PassModel::family() const { return std::string(checkpoint_->family().name); }
int PassModel::layers() const {
  return static_cast<int>(checkpoint_->last_stack().design.layers.size());
}

const std::vector<std::string>& PassModel::assumed() const { return checkpoint_->plan().assumed; }

std::uint64_t PassModel::bytes_of(const PassInputs& inputs, const PassRequest& request) const {
  const std::uint64_t number = request.single ? sizeof(float) : sizeof(double);
  const std::uint64_t tokens =
      std::max<std::uint64_t>(inputs.tokens.size(), inputs.decoder_tokens.size());
  std::uint64_t largest = 0;
  for (const Stack* stack : {&checkpoint_->stack(), &checkpoint_->last_stack()})
    largest = std::max<std::uint64_t>(largest, pass_bytes(*stack, tokens, number));
  return largest;
}

PassResult PassModel::run(const PassInputs& inputs, const PassRequest& request,
                          ArraySink* sink) const {
  return request.single ? PassRun<float>(*checkpoint_, inputs, request, sink).run()
                        : PassRun<double>(*checkpoint_, inputs, request, sink).run();
}

}  // namespace orrery
