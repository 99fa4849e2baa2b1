#include "core/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/kernels/steps.h"
#include "core/parallel.h"

namespace orrery {
namespace {

/// Tokens of a group of sequences, at most unless a sequence is longer, and at least unless there
/// are fewer: every group has a gradient of its own, and each product a beginning and an end.
constexpr Index most_tokens = 256;
constexpr Index least_tokens = 64;
/// Groups come in such numbers, for as many threads to have the same work.
constexpr Index even_groups = 4;
/// Numbers of a matrix of weights that a thread sums or changes at once.
constexpr Index numbers_of_part = 1 << 14;

Index rounded_up(Index n, Index to) { return (n + to - 1) / to * to; }

Index groups_of(Index length, Index sequences) {
  const Index tokens = length * sequences;
  const Index wanted = rounded_up((tokens + most_tokens - 1) / most_tokens, even_groups);
  return std::clamp<Index>(wanted, 1,
                           std::min(sequences, std::max<Index>(1, tokens / least_tokens)));
}

void check_ids(std::span<const std::int32_t> ids, Index vocabulary, std::int32_t least,
               const char* what) {
  for (const std::int32_t id : ids)
    if (id < least || id >= vocabulary)
      throw UsageError(fmt::format("{} {}", what, id),
                       fmt::format("the vocabulary has {}", vocabulary),
                       fmt::format("give ids from 0 to {}", vocabulary - 1));
}

/// Whether an encoding changes with the weights.
template <class T>
bool has_tables(const ModelWeights<T>& weights) {
  return !weights.input_tables.empty() ||
         std::any_of(weights.layer_tables.begin(), weights.layer_tables.end(),
                     [](const auto& tables) { return !tables.empty(); });
}

}  // namespace

double learning_rate_at(const StepRule& rule, std::int64_t step) {
  if (step < rule.warm_up)
    return rule.learning_rate * static_cast<double>(step + 1) / static_cast<double>(rule.warm_up);
  const std::int64_t falling = std::max<std::int64_t>(1, rule.steps - rule.warm_up);
  const double done =
      std::min(1.0, static_cast<double>(step - rule.warm_up) / static_cast<double>(falling));
  const double share = (1 + std::cos(std::numbers::pi * done)) / 2;
  return rule.learning_rate * (rule.last_share + (1 - rule.last_share) * share);
}

template <class T>
TrainingState<T> initial_state(ModelWeights<T> weights) {
  TrainingState<T> state{.weights = std::move(weights)};
  state.first_moments = zeros_like(state.weights);
  state.second_moments = zeros_like(state.weights);
  return state;
}

template <class T>
Trainer<T>::Trainer(TrainedDesign<T> design, EncodingRecipe recipe, TrainingState<T> state,
                    StepRule rule, int threads)
    : design_(std::move(design)),
      recipe_(std::move(recipe)),
      state_(std::move(state)),
      rule_(rule),
      threads_(threads) {}

template <class T>
void Trainer<T>::check(const SequencesIn& sequences) const {
  const Index vocabulary = state_.weights.tokens.rows();
  check_ids(sequences.tokens, vocabulary, 0, "token");
  check_ids(sequences.targets, vocabulary, no_target, "target");
  const auto length = static_cast<std::size_t>(sequences.length);
  if (length == 0 || sequences.tokens.empty() || sequences.tokens.size() % length != 0 ||
      sequences.targets.size() != sequences.tokens.size())
    throw UsageError(fmt::format("{} tokens and {} targets for sequences of {}",
                                 sequences.tokens.size(), sequences.targets.size(), length),
                     "every token of whole sequences has a target or none",
                     "give as many of both, a multiple of the length");
}

/// Networks, and a plan of the weights as they are.
template <class T>
void Trainer<T>::plan_for(Index length, Index sequences) {
  const Index groups = groups_of(length, sequences);
  const Index largest = (sequences + groups - 1) / groups;
  const bool changes = has_tables(state_.weights);
  if (planned_ && plan_.length == length && plan_.sequences == largest && !changes &&
      static_cast<Index>(groups_.size()) == groups)
    return;
  plan_ = forward_plan<T>(design_, encodings(), length, largest);
  planned_ = true;
  if (weights_.empty()) list_weights();
  groups_.resize(static_cast<std::size_t>(groups));
  for (Group& group : groups_) {
    if (!group.network) {
      group.network = std::make_unique<Network<T>>(design_, state_.weights, plan_);
      group.gradient = empty_gradient(state_.weights);
    }
    group.slopes = named_weights(group.gradient.weights);  // groups_ may have moved it
  }
}

template <class T>
void Trainer<T>::list_weights() {
  weights_ = named_weights(state_.weights);
  first_moments_ = named_weights(state_.first_moments);
  second_moments_ = named_weights(state_.second_moments);
  for (std::size_t w = 0; w < weights_.size(); ++w) {
    const Index size = weights_[w].values->size();
    for (Index first = 0; first < size; first += numbers_of_part)
      parts_.push_back({w, first, std::min(numbers_of_part, size - first)});
  }
}

namespace {

/// Sequences of group g of `groups`, as even as may be.
SequencesIn group_of(const SequencesIn& all, std::size_t g, std::size_t groups) {
  const auto length = static_cast<std::size_t>(all.length);
  const std::size_t sequences = all.tokens.size() / length;
  const std::size_t first = sequences * g / groups * length;
  const std::size_t end = sequences * (g + 1) / groups * length;
  const auto part = [&](std::span<const std::int32_t> ids) {
    return ids.empty() ? ids : ids.subspan(first, end - first);
  };
  return {part(all.tokens), part(all.targets), all.length};
}

/// As an array.
template <class T>
auto numbers(const NamedWeight<T>& weight, Index first, Index count) {
  return Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>(weight.values->data() + first, count);
}

}  // namespace

template <class T>
StepLoss Trainer<T>::step(const SequencesIn& batch) {
  check(batch);
  const auto asked =
      static_cast<double>(std::count_if(batch.targets.begin(), batch.targets.end(),
                                        [](std::int32_t target) { return target != no_target; }));
  if (asked == 0)
    throw UsageError("sequences without a target", "a step needs one", "ask for a token");
  plan_for(batch.length, static_cast<Index>(batch.tokens.size()) / batch.length);
  in_parallel(static_cast<std::ptrdiff_t>(groups_.size()), threads_, [&] {
    return [&](std::ptrdiff_t g) { learn_group(static_cast<std::size_t>(g), batch, asked); };
  });
  StepLoss out;
  for (const Group& group : groups_) out.loss += group.loss / asked;
  out.gradient_norm = sum_gradients();
  if (!std::isfinite(out.gradient_norm)) {
    ++state_.step;
    return out;
  }
  const bool longer = rule_.largest_norm > 0 && out.gradient_norm > rule_.largest_norm;
  update(longer ? rule_.largest_norm / out.gradient_norm : 1.0);
  return out;
}

template <class T>
void Trainer<T>::learn_group(std::size_t g, const SequencesIn& batch, double asked) {
  Group& group = groups_[g];
  group.sequences = group_of(batch, g, groups_.size());
  for (const NamedWeight<T>& weight : group.slopes) weight.values->setZero();
  group.gradient.input_tables.clear();
  for (EncodingGradient<T>& layer : group.gradient.layers) layer = {};
  const TokenLosses losses = group.network->forward(group.sequences);
  group.loss = 0;
  for (const double loss : losses.losses) group.loss += loss;
  group.network->back(1 / asked, group.gradient);
}

/// Calls use(part, its number) for all of parts_, on the threads that there are.
template <class T>
template <class Use>
void Trainer<T>::for_parts(const Use& use) const {
  in_parallel(static_cast<std::ptrdiff_t>(parts_.size()), threads_, [&] {
    return [&](std::ptrdiff_t p) {
      use(parts_[static_cast<std::size_t>(p)], static_cast<std::size_t>(p));
    };
  });
}

/// The groups' gradients join that of the first; its length.
template <class T>
double Trainer<T>::sum_gradients() {
  Gradient<T>& sum = groups_.front().gradient;
  for (std::size_t g = 1; g < groups_.size(); ++g) add_table_gradients(sum, groups_[g].gradient);
  gather_tables(plan_, sum);
  std::vector<double> squares(parts_.size());
  for_parts([&](const Part& part, std::size_t p) {
    auto slopes = numbers(groups_.front().slopes[part.weight], part.first, part.count);
    for (std::size_t g = 1; g < groups_.size(); ++g)
      slopes += numbers(groups_[g].slopes[part.weight], part.first, part.count);
    squares[p] = static_cast<double>(slopes.square().sum());
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

template <class T>
void Trainer<T>::update(double shorten) {
  const double eta = learning_rate_at(rule_, state_.step);
  const auto t = static_cast<double>(++state_.step);
  kernels::AdamStep<T> step{.shorten = static_cast<T>(shorten),
                            .beta1 = static_cast<T>(rule_.beta1),
                            .beta2 = static_cast<T>(rule_.beta2),
                            .rate = static_cast<T>(eta / (1 - std::pow(rule_.beta1, t))),
                            .v_scale = static_cast<T>(1 / (1 - std::pow(rule_.beta2, t))),
                            .epsilon = static_cast<T>(rule_.epsilon)};
  for_parts([&](const Part& part, std::size_t) {
    kernels::AdamStep<T> own = step;
    own.decay = static_cast<T>(weights_[part.weight].decays ? 1 - eta * rule_.weight_decay : 1.0);
    const auto at = [&](const std::vector<NamedWeight<T>>& list) {
      return list[part.weight].values->data() + part.first;
    };
    kernels::step_kernels<T>().adam(static_cast<std::size_t>(part.count), own,
                                    at(groups_.front().slopes), at(first_moments_),
                                    at(second_moments_), at(weights_));
  });
  bound_tables();
}

/// Tables of the encoding that have bounds stay within them.
template <class T>
void Trainer<T>::bound_tables() {
  ModelWeights<T>& weights = state_.weights;
  for (const TableSpec& spec : find_encoding(recipe_.name).info.tables) {
    const auto bound = [&](auto& tables) {
      const auto found = tables.find(spec.name);
      if (found == tables.end()) return;
      found->second = found->second.unaryExpr([&](T value) {
        return static_cast<T>(std::clamp(static_cast<double>(value), spec.least, spec.most));
      });
    };
    bound(weights.input_tables);
    for (auto& tables : weights.layer_tables) bound(tables);
  }
}

template <class T>
TokenLosses Trainer<T>::losses(const SequencesIn& sequences) {
  check(sequences);
  plan_for(sequences.length, static_cast<Index>(sequences.tokens.size()) / sequences.length);
  std::vector<TokenLosses> parts(groups_.size());
  in_parallel(static_cast<std::ptrdiff_t>(groups_.size()), threads_, [&] {
    return [&](std::ptrdiff_t g) {
      const auto at = static_cast<std::size_t>(g);
      parts[at] = groups_[at].network->forward(group_of(sequences, at, groups_.size()));
    };
  });
  TokenLosses all;
  for (const TokenLosses& part : parts) {
    all.losses.insert(all.losses.end(), part.losses.begin(), part.losses.end());
    all.right.insert(all.right.end(), part.right.begin(), part.right.end());
  }
  return all;
}

template TrainingState<float> initial_state(ModelWeights<float>);
template TrainingState<double> initial_state(ModelWeights<double>);
template class Trainer<float>;
template class Trainer<double>;

}  // namespace orrery
