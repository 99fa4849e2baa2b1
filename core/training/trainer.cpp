#include "core/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/parallel.h"

namespace orrery {
namespace {

/// Tokens of a group of sequences: what one pass makes of them stays in the second cache, and small
/// batches have groups for several threads.
constexpr Index tokens_of_group = 256;

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
  const Index groups = std::max<Index>(1, sequences / std::max<Index>(1, tokens_of_group / length));
  const Index largest = (sequences + groups - 1) / groups;
  const bool changes = has_tables(state_.weights);
  if (planned_ && plan_.length == length && plan_.sequences == largest && !changes &&
      static_cast<Index>(groups_.size()) == groups)
    return;
  plan_ = forward_plan<T>(design_, encodings(), length, largest);
  planned_ = true;
  groups_.resize(static_cast<std::size_t>(groups));
  for (Group& group : groups_) {
    if (group.network) continue;
    group.network = std::make_unique<Network<T>>(design_, state_.weights, plan_);
    group.gradient = empty_gradient(state_.weights);
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

template <class T>
double norm_of(Gradient<T>& gradient) {
  double sum = 0;
  for (const NamedWeight<T>& weight : named_weights(gradient.weights))
    sum += static_cast<double>(weight.values->squaredNorm());
  return std::sqrt(sum);
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
    return [&](std::ptrdiff_t g) {
      Group& group = groups_[static_cast<std::size_t>(g)];
      group.sequences = group_of(batch, static_cast<std::size_t>(g), groups_.size());
      for (const NamedWeight<T>& weight : named_weights(group.gradient.weights))
        weight.values->setZero();
      group.gradient.input_tables.clear();
      for (EncodingGradient<T>& layer : group.gradient.layers) layer = {};
      const TokenLosses losses = group.network->forward(group.sequences);
      group.loss = 0;
      for (const double loss : losses.losses) group.loss += loss;
      group.network->back(1 / asked, group.gradient);
    };
  });
  StepLoss out;
  for (const Group& group : groups_) out.loss += group.loss / asked;
  Gradient<T>& gradient = summed_gradient();
  out.gradient_norm = norm_of(gradient);
  if (!std::isfinite(out.gradient_norm)) {
    ++state_.step;
    return out;
  }
  const bool longer = rule_.largest_norm > 0 && out.gradient_norm > rule_.largest_norm;
  update(gradient, longer ? rule_.largest_norm / out.gradient_norm : 1.0);
  return out;
}

template <class T>
Gradient<T>& Trainer<T>::summed_gradient() {
  Gradient<T>& sum = groups_.front().gradient;
  for (std::size_t g = 1; g < groups_.size(); ++g) add_gradient(sum, groups_[g].gradient);
  gather_tables(plan_, sum);
  return sum;
}

template <class T>
void Trainer<T>::update(Gradient<T>& gradient, double shorten) {
  const auto g = named_weights(gradient.weights), w = named_weights(state_.weights);
  const auto m = named_weights(state_.first_moments), v = named_weights(state_.second_moments);
  const double eta = learning_rate_at(rule_, state_.step);
  const double t = static_cast<double>(++state_.step);
  const auto rate = static_cast<T>(eta / (1 - std::pow(rule_.beta1, t)));
  const auto v_scale = static_cast<T>(1 / (1 - std::pow(rule_.beta2, t)));
  const auto b1 = static_cast<T>(rule_.beta1), b2 = static_cast<T>(rule_.beta2);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto slope = g[i].values->array() * static_cast<T>(shorten);
    auto first = m[i].values->array();
    auto second = v[i].values->array();
    first = b1 * first + (1 - b1) * slope;
    second = b2 * second + (1 - b2) * slope.square();
    const auto decay = static_cast<T>(w[i].decays ? 1 - eta * rule_.weight_decay : 1.0);
    w[i].values->array() =
        decay * w[i].values->array() -
        rate * first / ((v_scale * second).sqrt() + static_cast<T>(rule_.epsilon));
  }
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
