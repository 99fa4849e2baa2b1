#include "experiments/heads/model_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/analysis/largest.h"
#include "core/attention/multi_head.h"
#include "core/errors.h"
#include "core/transformer/linear.h"
#include "core/transformer/norm.h"
#include "core/transformer/pass_edits.h"
#include "experiments/checkpoints/layer_encoding.h"
#include "experiments/files/memory_limit.h"
#include "experiments/identify/defects.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {
namespace {

/// A layer's rope as it is written; empty where it has none.
std::vector<std::optional<WrittenRope>> written_ropes(const RopeDefect& defect, const Edit& edit,
                                                      const std::vector<LayerPlan>& layers,
                                                      Index tokens) {
  std::vector<std::optional<WrittenRope>> ropes;
  bool any = false;
  for (const LayerPlan& layer : layers) {
    if (layer.encoding != "rope" || !edit.acts_in(layer.layer)) {
      ropes.emplace_back();
      continue;
    }
    const WrittenRope sound{completed(layer.rope)};
    std::optional<WrittenRope> broken = defect.inject(sound, tokens);
    any = any || broken;
    ropes.push_back(broken ? std::move(broken) : sound);
  }
  if (!any)
    throw UsageError("edit " + edit_text(edit),
                     "cannot be made in the ropes of these layers: " + defect.description,
                     "choose another defect, or layers that can have it");
  return ropes;
}

/// Turns q and k of a model's layers as a program with the edit's defect does; as they should be
/// where a layer's rope cannot have it.
///
/// Rotations in fp64, rounded to T once. Rules that begin at a row begin at half of the tokens.
/// Throws UsageError for an unknown defect, and for one that no layer's rope can have.
template <class T>
Turn<T> defect_turn(const Edit& edit, const std::vector<LayerPlan>& layers, Index tokens) {
  const RopeDefect& defect = find_rope_defect(edit.key);
  auto ropes = std::make_shared<std::vector<std::optional<WrittenRope>>>(
      written_ropes(defect, edit, layers, tokens));
  return [ropes](int layer, int head, PositionsIn positions, MatrixOut<T> x) {
    const auto& rope = (*ropes)[static_cast<std::size_t>(layer)];
    check_invariant(rope.has_value(), "only layers with RoPE turn q and k");
    RowPlaces places{.heads = {head}, .positions = AxisPositions(x.rows(), 1)};
    for (Index n = 0; n < x.rows(); ++n) {
      places.rows.push_back(n);
      places.positions(n, 0) = positions[static_cast<std::size_t>(n)];
    }
    const Matrix<double> before = x.template cast<double>();
    x = apply_written(*rope, places, before).template cast<T>();
  };
}

/// Another source's weights, of which the first layers and parts of the vocabulary that fit into
/// `bytes` stay decoded.
template <class T>
class KeptWeights final : public WeightSource<T> {
 public:
  KeptWeights(std::unique_ptr<WeightSource<T>> source, std::uint64_t bytes)
      : source_(std::move(source)), left_(bytes) {}

  Index vocabulary_size() const override { return source_->vocabulary_size(); }
  Matrix<T> token_vectors(std::span<const std::int32_t> ids) override {
    return source_->token_vectors(ids);
  }
  std::shared_ptr<const EmbeddingWeights<T>> embedding() override { return source_->embedding(); }
  std::shared_ptr<const HeadWeights<T>> head() override { return source_->head(); }

  std::shared_ptr<const LinearWeights<T>> vocabulary(Index first, Index count) override {
    return kept(vocabulary_, std::pair(first, count),
                [&] { return source_->vocabulary(first, count); });
  }

  std::shared_ptr<const LayerWeights<T>> layer(int layer) override {
    return kept(layers_, layer, [&] { return source_->layer(layer); });
  }

 private:
  /// What was kept for the key, else what `decode` returns, which stays if there is room.
  template <class Key, class Weights, class Decode>
  std::shared_ptr<const Weights> kept(std::map<Key, std::shared_ptr<const Weights>>& all,
                                      const Key& key, const Decode& decode) {
    if (const auto found = all.find(key); found != all.end()) return found->second;
    std::shared_ptr<const Weights> decoded = decode();
    const std::uint64_t bytes = bytes_of(*decoded);
    if (bytes > left_) return decoded;
    left_ -= bytes;
    return all[key] = std::make_shared<const Weights>(packed_weights(*decoded));
  }

  static LinearWeights<T> packed_weights(const LinearWeights<T>& w) { return packed(w); }

  static LayerWeights<T> packed_weights(LayerWeights<T> w) {
    for_each_linear(w, [](LinearWeights<T>& linear) { linear = packed(linear); });
    return w;
  }

  /// @param w  of a layer, constant or not
  template <class Layer, class Use>
  static void for_each_linear(Layer& w, const Use& use) {
    for (auto* a : {&w.attention, &w.memory})
      for (auto* linear : {&a->q, &a->k, &a->v, &a->o}) use(*linear);
    for (auto* linear : {&w.feed_forward.gate, &w.feed_forward.up, &w.feed_forward.down})
      use(*linear);
  }

  static std::uint64_t bytes_of(const LinearWeights<T>& w) {
    return static_cast<std::uint64_t>(w.W.size()) * sizeof(T);
  }

  static std::uint64_t bytes_of(const LayerWeights<T>& w) {
    std::uint64_t bytes = 0;
    for_each_linear(w, [&](const LinearWeights<T>& linear) { bytes += bytes_of(linear); });
    for (const Matrix<T>& tap : w.convolution.W)
      bytes += static_cast<std::uint64_t>(tap.size()) * sizeof(T);
    return bytes;
  }

  std::unique_ptr<WeightSource<T>> source_;
  std::uint64_t left_;
  std::map<int, std::shared_ptr<const LayerWeights<T>>> layers_{};
  std::map<std::pair<Index, Index>, std::shared_ptr<const LinearWeights<T>>> vocabulary_{};
};

constexpr std::uint64_t kept_part = 3;  // of the machine's memory

std::uint64_t bytes_to_keep(const RunSettings& settings) {
  return settings.kept_bytes > 0 ? settings.kept_bytes : memory_limit() / kept_part;
}

void require_one_stack(const Checkpoint& checkpoint) {
  if (!checkpoint.decoder()) return;
  throw UsageError(checkpoint.store().name(), "is an encoder-decoder, whose stacks read two texts",
                   "take a model of one stack");
}

std::set<HeadPlace> replaced_heads(const std::vector<Edit>& edits, int heads) {
  std::set<HeadPlace> places;
  for (const Edit& edit : edits)
    if (edit.kind == EditKind::corpus_mean) places.merge(single_heads(edit.heads, heads));
  return places;
}

}  // namespace

LiveModel::LiveModel(const std::filesystem::path& path, const RunSettings& settings)
    : path_(path), settings_(settings) {
  if (settings.single)
    single_ = std::make_unique<ModelRun<float>>(path, settings);
  else
    double_ = std::make_unique<ModelRun<double>>(path, settings);
  with_run([this](const auto& run) {
    const AttentionDesign& a = run.design().attention;
    facts_ = {.name = std::string(run.checkpoint().store().name()),
              .family = std::string(run.checkpoint().family().name),
              .layers = run.layer_count(),
              .heads = run.head_count(),
              .vocabulary = run.vocabulary_size(),
              .predicts_next = run.predicts_next(),
              .d_model = run.checkpoint().stack().places.layers.front().attention.o.out,
              .head_channels = a.heads * a.d_value};
  });
}
LiveModel::~LiveModel() = default;

std::uint64_t LiveModel::bytes_of_number() const {
  return settings_.single ? sizeof(float) : sizeof(double);
}
std::uint64_t LiveModel::bytes_of_states(std::size_t count, std::size_t tokens) const {
  return count * tokens * static_cast<std::uint64_t>(facts_.d_model) * bytes_of_number();
}
std::uint64_t LiveModel::bytes_of_head_outputs(std::size_t tokens) const {
  return static_cast<std::uint64_t>(layers()) * tokens *
         static_cast<std::uint64_t>(facts_.head_channels) * bytes_of_number();
}

template <class T>
ModelRun<T>::ModelRun(const std::filesystem::path& path, const RunSettings& settings)
    : checkpoint_(Checkpoint::open(path, {.length = settings.length})),
      threads_(settings.threads),
      weights_(std::make_unique<KeptWeights<T>>(
          weight_source<T>(checkpoint_, checkpoint_.stack(), settings.threads),
          bytes_to_keep(settings))) {
  require_one_stack(checkpoint_);
}

template <class T>
bool ModelRun<T>::predicts_next() const {
  return checkpoint_.stack().has_head() && design().attention.causal;
}

template <class T>
PassEdits<T> ModelRun<T>::edits_of(const std::vector<Edit>& list, Index tokens) const {
  PassEdits<T> edits{.list = list};
  for (const LayerPlan& layer : layers())
    if (layer.encoding == "rope") edits.ropes.conventions[layer.layer] = completed(layer.rope);
  edits.ropes.make = [this](int layer, const RopeConvention& rope) {
    LayerPlan plan = layers()[static_cast<std::size_t>(layer)];
    plan.rope = rope;
    return layer_encoding<T>(plan, checkpoint_.stack().places, design());
  };
  for (const Edit& edit : list)
    if (edit.kind == EditKind::defect)
      edits.defects[edit.key] = defect_turn<T>(edit, layers(), tokens);
  return edits;
}

template <class T>
Matrix<T> ModelRun<T>::pass(const std::vector<std::int32_t>& tokens, PassOptions<T> options) {
  if (tokens.empty())
    throw UsageError("no tokens", "a pass reads at least one", "give a longer text");
  require_memory(static_cast<double>(pass_bytes(checkpoint_.stack(), tokens.size(), sizeof(T))),
                 fmt::format("a pass over {} tokens", tokens.size()), "give fewer tokens");
  options.threads = threads_;
  options.before_layer = [this] {
    if (asked_ && asked_->stop_requested()) throw Stopped();
  };
  return forward<T>(design(), *weights_, {.ids = tokens}, options);
}

template <class T>
Matrix<T> ModelRun<T>::edited_pass(const std::vector<Edit>& edits,
                                   const std::vector<std::int32_t>& tokens) {
  const PassEdits<T> of_pass = edits_of(edits, static_cast<Index>(tokens.size()));
  return pass(tokens, {.edits = &of_pass});
}

template <class T>
std::vector<double> ModelRun<T>::edited_losses(const std::vector<Edit>& edits,
                                               const std::vector<std::int32_t>& tokens) {
  return losses(edits, edited_pass(edits, tokens), tokens);
}

template <class T>
void ModelRun<T>::require_token(std::int32_t id, const char* key) const {
  if (id < vocabulary_size()) return;
  throw UsageError(fmt::format("{}={}", key, id),
                   fmt::format("the vocabulary has {}", vocabulary_size()),
                   "give the id of a token; orrery tokens prints them");
}

template <class T>
void ModelRun<T>::require_losses() const {
  if (predicts_next()) return;
  throw UsageError(checkpoint_.store().name(),
                   "does not predict the next token: it looks both ways, or has no head",
                   "take a causal model with its head");
}

template <class T>
std::vector<double> ModelRun<T>::losses(const std::vector<Edit>& edits, const Matrix<T>& hidden,
                                        const std::vector<std::int32_t>& tokens, Matrix<T>* last) {
  require_losses();
  return next_token_losses<T>(edited_design(design(), edits), *weights_, hidden, tokens, threads_,
                              last);
}

template <class T>
Matrix<T> ModelRun<T>::logits(const std::vector<Edit>& edits, const MatrixIn<T>& hidden) {
  if (!checkpoint_.stack().has_head())
    throw UsageError(checkpoint_.store().name(), "has no head for its vocabulary",
                     "take a file with the head");
  return vocabulary_logits<T>(edited_design(design(), edits), *weights_, hidden, threads_);
}

template <class T>
Matrix<T> ModelRun<T>::final_norm(const std::vector<Edit>& edits, const Matrix<T>& hidden) {
  if (!design().final_norm) return hidden;
  return normalised<T>(edited_design(design(), edits).norm, weights_->head()->norm, hidden);
}

template <class T>
double ModelRun<T>::scale_of(int layer, const std::vector<Edit>& edits) const {
  const TransformerDesign edited = edited_design(design(), edits);
  return edited.layers[static_cast<std::size_t>(layer)].scale.value_or(
      1 / std::sqrt(static_cast<double>(design().attention.d_head)));
}

template <class T>
TurningPairs ModelRun<T>::turning_pairs(int layer, const std::vector<Edit>& edits, Index tokens) {
  const PassEdits<T> of_pass = edits_of(edits, tokens);
  ActiveEdits<T> active(&of_pass, design());
  return active.encoding(layer, weights_->layer(layer)->encoding)->turning_pairs();
}

template <class T>
bool ModelRun<T>::has_terms(int layer) {
  if (layers()[static_cast<std::size_t>(layer)].encoding == "rope") return true;
  const std::shared_ptr<const Encoding> encoding = weights_->layer(layer)->encoding;
  return encoding && SoftmaxDoors<T>::of(*encoding).score_terms;
}

template <class T>
std::vector<ScoreTerm<T>> ModelRun<T>::score_terms(const HeadPlace& place,
                                                   const std::vector<Edit>& edits,
                                                   const MatrixIn<T>& q, const MatrixIn<T>& k) {
  const TransformerDesign edited = edited_design(design(), edits);
  const PassEdits<T> of_pass = edits_of(edits, q.rows());
  ActiveEdits<T> active(&of_pass, edited);
  const auto encoding = active.encoding(place.layer, weights_->layer(place.layer)->encoding);
  const Positions at = active.positions(place.layer, consecutive_positions(q.rows()), true);
  const Matrix<T> no_values;
  return attention_logits<T>({.q = q, .k = k, .v = no_values, .m = at, .n = at, .head = place.head},
                             {.score_terms = SoftmaxDoors<T>::of(*encoding).score_terms},
                             {.scale = edited.layers[static_cast<std::size_t>(place.layer)].scale})
      .terms;
}

template <class T>
Mask ModelRun<T>::mask_of(int layer, Index tokens, const std::vector<Edit>& edits) const {
  const Positions at = consecutive_positions(tokens);
  const TransformerDesign edited = edited_design(design(), edits);
  return MaskSpec{.causal = edited.attention.causal,
                  .window = edited.layers[static_cast<std::size_t>(layer)].window}
      .build(at, at);
}

template <class T>
std::vector<double> probabilities_of(const MatrixIn<T>& logits, Index row) {
  const Eigen::ArrayXd l = logits.row(row).transpose().template cast<double>().array();
  Largest largest(-std::numeric_limits<double>::infinity());
  for (const double one : l) largest.see(one);
  const Eigen::ArrayXd e = (l - largest.value()).exp();
  const double sum = e.sum();
  std::vector<double> probabilities(static_cast<std::size_t>(l.size()));
  for (Index i = 0; i < l.size(); ++i) probabilities[static_cast<std::size_t>(i)] = e(i) / sum;
  return probabilities;
}

std::vector<std::int32_t> most_probable(const std::vector<double>& probabilities,
                                        std::size_t count) {
  std::vector<std::int32_t> ids(probabilities.size());
  std::iota(ids.begin(), ids.end(), 0);
  const std::size_t kept = std::min<std::size_t>(count, ids.size());
  const auto p = [&](std::int32_t id) { return probabilities[static_cast<std::size_t>(id)]; };
  std::partial_sort(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(),
      [&](std::int32_t a, std::int32_t b) { return p(a) > p(b) || (p(a) == p(b) && a < b); });
  ids.resize(kept);
  return ids;
}

template class ModelRun<float>;
template class ModelRun<double>;
template std::vector<double> probabilities_of<float>(const MatrixIn<float>&, Index);
template std::vector<double> probabilities_of<double>(const MatrixIn<double>&, Index);

template <class T>
std::map<HeadPlace, Matrix<T>> corpus_means(ModelRun<T>& run, const std::vector<Edit>& edits,
                                            const std::vector<ModelText>& corpus) {
  const std::set<HeadPlace> places = replaced_heads(edits, run.head_count());
  if (places.empty()) return {};
  if (corpus.empty())
    throw UsageError("an edit corpus_mean", "needs a corpus, over which outputs are averaged",
                     "give it with corpus=FILE");
  std::map<HeadPlace, Matrix<double>> sums;
  double tokens = 0;
  const Probe<T> probe{.wants =
                           [&](const Site& site) {
                             return site.quantity == Quantity::head_output && !site.of_memory &&
                                    places.count({site.layer, site.head}) == 1;
                           },
                       .see =
                           [&](const Site& site, Index, const MatrixIn<T>& rows) {
                             Matrix<double>& sum = sums[{site.layer, site.head}];
                             if (sum.size() == 0) sum = Matrix<double>::Zero(1, rows.cols());
                             sum += rows.template cast<double>().colwise().sum();
                           }};
  for (const ModelText& text : corpus) {
    run.pass(text.tokens, {.probe = probe});
    tokens += static_cast<double>(text.tokens.size());
  }
  std::map<HeadPlace, Matrix<T>> means;
  for (const auto& [place, sum] : sums) means[place] = (sum / tokens).template cast<T>();
  return means;
}

template std::map<HeadPlace, Matrix<float>> corpus_means(ModelRun<float>&, const std::vector<Edit>&,
                                                         const std::vector<ModelText>&);
template std::map<HeadPlace, Matrix<double>> corpus_means(ModelRun<double>&,
                                                          const std::vector<Edit>&,
                                                          const std::vector<ModelText>&);

}  // namespace orrery
