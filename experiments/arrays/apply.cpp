#include "experiments/arrays/apply.h"

#include <fmt/format.h>

#include <numbers>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/arrays/apply_defect.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/user_tables.h"

namespace orrery::arrays {
namespace {

template <class T>
std::unique_ptr<Encoding> make(const ParamSet& params, const ApplyInputs& in, Index d,
                               const Tables& tables) {
  return make_encoding<T>(params.text("encoding"),
                          {.d_model = d,
                           .d_head = d,
                           .heads = static_cast<int>(params.integer("heads")),
                           .params = params,
                           .rounding = rounding_of(params),
                           .seed = params.integer("seed"),
                           .tables = in.tables.empty() ? nullptr : &tables});
}

template <class T>
void encode(const Encoding& encoding, const ParamSet& params, const Positions& at, Matrix<T>& x) {
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(&encoding))
    return input->add_to_input(at, x);
  const auto* turned = dynamic_cast<const QkTransform<T>*>(&encoding);
  if (!turned)
    throw UsageError(fmt::format("encoding={}", params.text("encoding")),
                     "does nothing to single vectors: it acts on scores",
                     "use orrery attend with q and k, or leave x out to see its table");
  if (params.text("side") == "keys") return turned->transform_keys(at, x);
  turned->transform_queries(at, x);
}

template <class T>
std::shared_ptr<const Array> apply_in(const ParamSet& params, const ApplyInputs& in) {
  const Tensor& x = *in.x;
  const Tables tables = tables_of(in.tables);
  const auto encoding = make<T>(params, in, static_cast<Index>(x.shape.back()), tables);
  std::vector<T> values;
  for (std::size_t head = 0; head < matrices_in(x); ++head) {
    Matrix<T> rows = matrix_in<T>(x, head);
    encode<T>(*encoding, params, in.positions, rows);
    values.insert(values.end(), rows.data(), rows.data() + rows.size());
  }
  return encoded_array(x.shape, std::move(values));
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

}  // namespace

std::vector<ParamSpec> apply_params() {
  std::vector<ParamSpec> specs{
      {.key = "encoding",
       .description = "The position encoding.",
       .kind = ParamKind::choice,
       .default_value = std::string("rope"),
       .choices = encoding_choices()},
      array_file_param("x", "Vectors to encode, [N, d], [heads, N, d] or [batch, heads, N, d]."),
      dim_param(128),
      {.key = "heads",
       .symbol = "H",
       .description = "Heads of the layer: ALiBi's slopes depend on it.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{8},
       .min = 1,
       .max = 1024},
      {.key = "side",
       .description = "Whether x are queries or keys, where an encoding treats them apart.",
       .kind = ParamKind::choice,
       .default_value = std::string("queries"),
       .choices = {{"queries", "x are queries"}, {"keys", "x are keys"}}}};
  specs[2].used_when = Condition{"x", {""}};
  specs.push_back(applied_defect_param());
  for (ParamSpec& spec : precision_params("exact", {})) specs.push_back(std::move(spec));
  specs.push_back(seed_param());
  return with_encoding_params(std::move(specs));
}

std::shared_ptr<const Array> apply_encoding(const ParamSet& params, const ApplyInputs& in) {
  check_table_names(find_encoding(params.text("encoding")).info, in.tables);
  if (has_defect(params)) return apply_defective_rope(params, in);
  return runs_in_fp64(params) ? apply_in<double>(params, in) : apply_in<float>(params, in);
}

Table encoding_table(const ParamSet& params, const ApplyInputs& in) {
  check_table_names(find_encoding(params.text("encoding")).info, in.tables);
  const Index d = params.integer("dim");
  const Tables tables = tables_of(in.tables);
  const auto encoding = make<double>(params, in, d, tables);
  const TurningPairs pairs = encoding->turning_pairs();
  if (!pairs.theta.empty()) return frequency_table(pairs.rounded_theta);
  const std::vector<double> slopes = encoding->slopes();
  if (!slopes.empty()) return slope_table(slopes);
  if (const auto* indexed = dynamic_cast<const TableIndex*>(encoding.get()))
    return index_table(*indexed, in.positions);
  throw UsageError(fmt::format("encoding={}", params.text("encoding")),
                   "has no frequencies, slopes or index to show",
                   "give x=FILE to encode vectors, or use orrery attend with q and k");
}

}  // namespace orrery::arrays
