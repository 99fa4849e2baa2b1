#include "experiments/studies/apply/applied_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

#include "core/encodings/axis_layout.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/rope_settings.h"
#include "core/encodings/settings.h"
#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/written_rope.h"
#include "experiments/model/inputs.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/token_inputs.h"

namespace orrery {
namespace {

constexpr const char* no_defect = "none";

/// The rope as it should be, and where its tokens lie.
struct SoundRope {
  WrittenRope rope{};
  AxisPositions positions{};
};

SoundRope sound_rope(const EncodingSettings& settings, const Positions& at) {
  if (settings.params.text("encoding") == "axis_rope") {
    const auto rope = AxisRope<double>::make(settings);
    const AxisDesign design = rope->convention().design;
    if (design == AxisDesign::time_still || design == AxisDesign::axial)
      throw UsageError("a design of axes with frequencies of its own",
                       "is not one of those that defects were reported of",
                       "take chunked, interleaved or time_last sections");
    return {WrittenRope{rope->convention()}, axis_positions(rope->options().layout, at)};
  }
  SoundRope sound{WrittenRope{rope_convention_of(settings)},
                  AxisPositions(static_cast<Index>(at.size()), 1)};
  for (Index n = 0; n < sound.positions.rows(); ++n)
    sound.positions(n, 0) = at[static_cast<std::size_t>(n)];
  return sound;
}

WrittenRope broken_rope(const std::string& name, const WrittenRope& sound, Index rows) {
  if (const auto broken = find_rope_defect(name).inject(sound, rows)) return *broken;
  throw UsageError(fmt::format("defect={}", name),
                   "cannot be made in this rope: " + plain_text(find_rope_defect(name).description),
                   "choose another scaling, fraction, base or design, or another defect");
}

void require_exact(const ParamSet& params) {
  if (rounding_of(params).coarsest() == Precision::fp64) return;
  throw UsageError(fmt::format("defect={} with rounded stages", params.text("defect")),
                   "products of a defective rope are not rounded",
                   "leave precision=exact, and round the result");
}

/// Encoded vectors of the shape of x, with the names of its dimensions.
std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values) {
  Array out{.name = "encoded", .shape = shape};
  out.axes = {"batch", "head", "position", "channel"};
  out.axes.erase(out.axes.begin(), out.axes.end() - static_cast<std::ptrdiff_t>(shape.size()));
  out.values = std::move(values);
  return std::make_shared<const Array>(std::move(out));
}

/// "defect" of `apply`, none unless it is given: a known mistake of RoPE.
ParamSpec applied_defect_param() {
  ParamSpec spec = choice_param("defect", "Turn x as a program with a known mistake does.",
                                std::string(no_defect), {{no_defect, "as RoPE is defined"}});
  for (const RopeDefect& defect : rope_defects())
    spec.choices.push_back({defect.name, defect.description});
  spec.used_when = Condition{"encoding", {"rope", "axis_rope"}};
  return spec;
}

/// Whether a defect is asked for.
bool has_defect(const ParamSet& params) {
  return params.is_used("defect") && params.text("defect") != no_defect;
}

/// x turned by encoding=rope or axis_rope as a program with the defect turns it, in fp64. Where a
/// rule begins at a row, as the defects of caches do, the first half of the rows is the prompt.
/// Throws UsageError where the defect cannot be made in the rope, and beside a precision other
/// than exact: products are not rounded here.
/// @param x   [N, d], [heads, N, d] or [batch, heads, N, d]
/// @param at  the positions of its rows
std::shared_ptr<const Array> apply_defective_rope(const EncodingSettings& settings, const Tensor& x,
                                                  const Positions& at) {
  require_exact(settings.params);
  const auto rows = static_cast<Index>(at.size());
  SoundRope sound = sound_rope(settings, at);
  const WrittenRope rope = broken_rope(settings.params.text("defect"), sound.rope, rows);
  RowPlaces places{.heads = {0}, .positions = std::move(sound.positions)};
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  const std::size_t heads = x.shape.size() > 2 ? x.shape[x.shape.size() - 3] : 1;
  std::vector<double> values;
  for (std::size_t matrix = 0; matrix < matrices_in(x); ++matrix) {
    places.heads = {static_cast<Index>(matrix % heads)};
    const Matrix<double> turned = apply_written(rope, places, matrix_in<double>(x, matrix));
    values.insert(values.end(), turned.data(), turned.data() + turned.size());
  }
  return encoded_array(x.shape, std::move(values));
}

template <class T>
void encode(const Encoding& encoding, const ParamSet& params, const Positions& at, Matrix<T>& x) {
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(&encoding))
    return input->add_to_input(at, x);
  const auto* turned = dynamic_cast<const QkTransform<T>*>(&encoding);
  if (!turned)
    throw UsageError(fmt::format("encoding={}", params.text("encoding")),
                     "does nothing to single vectors: it acts on scores",
                     "use orrery run attend with q and k, or leave x out to see its table");
  if (params.text("side") == "keys") return turned->transform_keys(at, x);
  turned->transform_queries(at, x);
}

Table frequency_table(const std::vector<double>& theta) {
  std::vector<double> pair, wavelength;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    pair.push_back(static_cast<double>(t));
    wavelength.push_back(2 * std::numbers::pi / theta[t]);
  }
  return {
      .name = "frequencies",
      .caption = "theta_t (inv_freq) in rad per token, and its wavelength",
      .columns = {
          {"pair", "", pair}, {"theta", "rad/token", theta}, {"wavelength", "tokens", wavelength}}};
}

Table slope_table(const std::vector<double>& slopes) {
  std::vector<double> heads;
  for (std::size_t h = 0; h < slopes.size(); ++h) heads.push_back(static_cast<double>(h));
  return {.name = "slopes",
          .caption = "slope of each head",
          .columns = {{"head", "", heads}, {"slope", "per token", slopes}}};
}

/// One row per query and one column per key.
Table index_table(const TableIndex& encoding, const Positions& at) {
  const IndexMatrix index = encoding.table_index(at, at);
  Table table{.name = "index",
              .caption = "row of the table for query m (down) and key n (across)",
              .columns = {{"m", "tokens", std::vector<double>(at.begin(), at.end())}}};
  for (Index j = 0; j < index.cols(); ++j) {
    std::vector<double> column;
    for (Index i = 0; i < index.rows(); ++i) column.push_back(static_cast<double>(index(i, j)));
    table.columns.push_back(
        {fmt::format("n={}", at[static_cast<std::size_t>(j)]), "", std::move(column)});
  }
  return table;
}

void require_one_position_a_row(const Tensor& x, const Positions& positions) {
  if (x.shape.size() < 2)
    throw DataError(x.name, "must be [N, d], [heads, N, d] or [batch, heads, N, d]", "reshape it");
  const std::size_t rows = x.shape[x.shape.size() - 2];
  if (positions.size() == rows) return;
  throw UsageError(fmt::format("{} positions for {} rows", positions.size(), rows),
                   "do not match: every row has one position", "give as many positions as rows");
}

/// The sum of the terms beside q·k.
template <class T>
Matrix<T> bias_of(const ScoreTerms<T>& terms, const ScoreInputs<T>& in) {
  Matrix<T> sum = Matrix<T>::Zero(in.q.rows(), in.k.rows());
  for (const ScoreTerm<T>& term : terms.score_terms(in))
    if (term.name != "content") sum += term.logits;
  return sum;
}

/// Without vectors there is nothing that a position turns.
bool lacks_vectors(const ParamSet& params) { return params.text("x").empty(); }

bool has_like_heads(const ParamSet& params) {
  return find_encoding(params.text("encoding")).info.same_heads;
}

bool draws_nothing(const ParamSet& params) {
  const std::vector<TableSpec>& tables = find_encoding(params.text("encoding")).info.tables;
  return std::ranges::none_of(tables, &TableSpec::drawn);
}

}  // namespace

std::vector<ParamSpec> apply_params() {
  std::vector<ParamSpec> specs{
      choice_param("encoding", "The position encoding.", "rope", encoding_choices()),
      array_file_param("x",
                       "Vectors to encode, [N, d], [heads, N, d] or [batch, heads, N, d]; "
                       "without them the encoding's constants are given."),
      positions_param("positions",
                      "Positions of the rows of x, or of the table of constants: 0..9, "
                      "3+1+4, or a file of [N]; by default 0 to N - 1, or 0 to 9."),
      dim_param(128),
      {.key = "heads",
       .symbol = "$H$",
       .description = "Heads of the layer: ALiBi's slopes depend on it.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{8},
       .min = 1,
       .max = 1024,
       .idle = has_like_heads},
      {.key = "side",
       .description = "Whether x are queries or keys, where an encoding treats them apart.",
       .kind = ParamKind::choice,
       .default_value = std::string("queries"),
       .choices = {{"queries", "x are queries"}, {"keys", "x are keys"}},
       .idle = lacks_vectors}};
  specs[3].used_when = Condition{"x", {""}};
  specs.push_back(applied_defect_param());
  specs.back().idle = lacks_vectors;
  for (ParamSpec& spec : encoding_table_params()) specs.push_back(std::move(spec));
  for (ParamSpec& spec : precision_params("exact", {})) {
    if (spec.key != "precision" && spec.key != "stage.inv_freq") spec.idle = lacks_vectors;
    specs.push_back(std::move(spec));
  }
  specs.push_back(seed_param());
  specs.back().idle = draws_nothing;
  specs = with_encoding_params(std::move(specs));
  for (ParamSpec& spec : specs)
    if (spec.key == "rope.pairing" || spec.key == "rope.muted") spec.idle = lacks_vectors;
  return specs;
}

/// The encoding that was made last: a layer has one number of channels.
struct AppliedEncoding::Made {
  Tables tables{};
  std::mutex mutex{};
  Index d{0};
  std::shared_ptr<const Encoding> encoding{};
};

AppliedEncoding::AppliedEncoding(ParamSet params, Tables tables)
    : params_(std::move(params)), made_(std::make_unique<Made>()) {
  made_->tables = std::move(tables);
}
AppliedEncoding::~AppliedEncoding() = default;

EncodingSettings AppliedEncoding::settings(Index d) const {
  return {.d_model = d,
          .d_head = d,
          .heads = static_cast<int>(params_.integer("heads")),
          .params = params_,
          .rounding = rounding_of(params_),
          .seed = params_.integer("seed"),
          .tables = made_->tables.empty() ? nullptr : &made_->tables};
}

template <class T>
std::shared_ptr<const Encoding> AppliedEncoding::made_for(Index d) const {
  const std::lock_guard lock(made_->mutex);
  if (made_->d == d) return made_->encoding;
  made_->encoding = make_encoding<T>(params_.text("encoding"), settings(d));
  made_->d = d;
  return made_->encoding;
}

template <class T>
std::shared_ptr<const Array> AppliedEncoding::apply_in(const Tensor& x, const Positions& at) const {
  const auto encoding = made_for<T>(static_cast<Index>(x.shape.back()));
  std::vector<T> values;
  values.reserve(x.values.size());
  for (std::size_t head = 0; head < matrices_in(x); ++head) {
    Matrix<T> rows = matrix_in<T>(x, head);
    encode<T>(*encoding, params_, at, rows);
    values.insert(values.end(), rows.data(), rows.data() + rows.size());
  }
  return encoded_array(x.shape, std::move(values));
}

std::shared_ptr<const Array> AppliedEncoding::apply(const Tensor& x, const Positions& at) const {
  require_one_position_a_row(x, at);
  const auto d = static_cast<Index>(x.shape.back());
  if (!params_.is_default("dim") && params_.integer("dim") != d)
    throw UsageError(fmt::format("dim={}", params_.integer("dim")),
                     fmt::format("x has {} channels", d), "leave dim out, or give such an x");
  if (has_defect(params_)) return apply_defective_rope(settings(d), x, at);
  return runs_in_fp64(params_) ? apply_in<double>(x, at) : apply_in<float>(x, at);
}

template <class T>
Array AppliedEncoding::bias_in(const Positions& m, const Positions& n) const {
  const Index d = params_.integer("dim");
  const auto encoding = made_for<T>(d);
  const auto* terms = dynamic_cast<const ScoreTerms<T>*>(encoding.get());
  if (!terms || !terms->is_bias())
    throw UsageError(fmt::format("encoding={}", params_.text("encoding")),
                     "adds no bias to scores that is the same for all contents",
                     "use orrery run attend with q and k, whose terms it names");
  const Matrix<T> q = Matrix<T>::Zero(static_cast<Index>(m.size()), d);
  const Matrix<T> k = Matrix<T>::Zero(static_cast<Index>(n.size()), d);
  const auto heads = static_cast<std::size_t>(params_.integer("heads"));
  std::vector<T> values;
  for (std::size_t head = 0; head < heads; ++head) {
    const Matrix<T> bias = bias_of<T>(*terms, {.q = q,
                                               .k = k,
                                               .m = m,
                                               .n = n,
                                               .head = static_cast<int>(head),
                                               .scoring = {.rounding = rounding_of(params_)}});
    values.insert(values.end(), bias.data(), bias.data() + bias.size());
  }
  return {.name = "bias",
          .description = "What the encoding adds to the logits of every content.",
          .shape = {heads, m.size(), n.size()},
          .axes = {"head", "query", "key"},
          .values = std::move(values)};
}

Array AppliedEncoding::bias(const Positions& m, const Positions& n) const {
  check_positions(m);
  check_positions(n);
  return runs_in_fp64(params_) ? bias_in<double>(m, n) : bias_in<float>(m, n);
}

Table AppliedEncoding::constants(const Positions& at) const {
  const auto encoding =
      make_encoding<double>(params_.text("encoding"), settings(params_.integer("dim")));
  const TurningPairs pairs = encoding->turning_pairs();
  if (!pairs.theta.empty()) return frequency_table(pairs.rounded_theta);
  const std::vector<double> slopes = encoding->slopes();
  if (!slopes.empty()) return slope_table(slopes);
  if (const auto* indexed = dynamic_cast<const TableIndex*>(encoding.get()))
    return index_table(*indexed, at);
  throw UsageError(fmt::format("encoding={}", params_.text("encoding")),
                   "has no frequencies, slopes or index to show",
                   "give x=FILE to encode vectors, or use orrery run attend with q and k");
}

RopeConvention AppliedEncoding::rope(Index d) const {
  if (params_.text("encoding") != "rope")
    throw UsageError(fmt::format("encoding={}", params_.text("encoding")), "is not rope",
                     "give the settings of a rope");
  return rope_convention_of(settings(d));
}

}  // namespace orrery
