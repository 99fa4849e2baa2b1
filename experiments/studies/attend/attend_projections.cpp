#include "experiments/studies/attend/attend_projections.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/user_tables.h"

namespace orrery {
namespace {

/// The matrices that weights= describes, of which the encoding of the parameters may have some of
/// its own.
std::vector<std::string> matrix_names(const ParamSet& params) {
  std::vector<std::string> names{"W_q", "W_k", "W_v", "W_o"};
  for (const TableSpec& table : find_encoding(params.text("encoding")).info.tables)
    if (table.shape == projection_shape) names.push_back(table.name);
  return names;
}

bool is_torch_linear(const ParamSet& params) { return params.text("weights") == "torch_linear"; }

/// "W_q of shape [8, 4] with weights=torch_linear": as it was given.
std::string shape_text_of(const ParamSet& params, const char* name, const Matrix<double>& w) {
  const bool transposed = is_torch_linear(params);
  return fmt::format("{} of shape [{}, {}] with weights={}", name, transposed ? w.cols() : w.rows(),
                     transposed ? w.rows() : w.cols(), params.text("weights"));
}

/// @param inputs   the channels that w takes, and what they are called
/// @param outputs  what its other dimension is called
[[noreturn]] void refuse_matrix(const ParamSet& params, const char* name, const Matrix<double>& w,
                                const std::string& inputs, const std::string& outputs,
                                const std::string& numbers, bool other_way_fits) {
  const bool transposed = is_torch_linear(params);
  throw UsageError(shape_text_of(params, name, w),
                   fmt::format("must be [{}, {}] with {}", transposed ? outputs : inputs,
                               transposed ? inputs : outputs, numbers),
                   other_way_fits
                       ? fmt::format("it fits weights={}", transposed ? "x_W" : "torch_linear")
                       : std::string("set heads to what the layer has, or save the layer's own"));
}

template <class T>
Matrix<T> projection(const ParamSet& params, const Tables& tables, const char* name,
                     const AttendLayer& layout, int heads) {
  const auto found = tables.find(name);
  if (found == tables.end()) return Matrix<T>::Identity(layout.d_model, layout.d_model);
  const Matrix<double>& w = found->second;
  if (w.rows() != layout.d_model || w.cols() % heads != 0)
    refuse_matrix(params, name, w, "d_model", "heads·d",
                  fmt::format("d_model={}, heads={}", layout.d_model, heads),
                  w.cols() == layout.d_model && w.rows() % heads == 0);
  return w.template cast<T>();
}

/// As many as fit into W_k; without it every query head has keys of its own.
int kv_heads_of(const ParamSet& params, const Tables& tables, const AttendLayer& layout) {
  const auto found = tables.find("W_k");
  if (found == tables.end() || layout.d_head == 0) return layout.heads;
  const Matrix<double>& w = found->second;
  if (w.rows() != layout.d_model || w.cols() % layout.d_head != 0)
    refuse_matrix(params, "W_k", w, "d_model", "kv_heads·d",
                  fmt::format("d_model={}, d={}", layout.d_model, layout.d_head),
                  w.cols() == layout.d_model && w.rows() % layout.d_head == 0);
  return static_cast<int>(w.cols() / layout.d_head);
}

/// One row of `width` numbers, or empty when it is not given.
template <class T>
Matrix<T> bias(const Tables& tables, const char* name, Index width) {
  const auto found = tables.find(name);
  if (found == tables.end()) return {};
  if (found->second.rows() != 1 || found->second.cols() != width)
    throw UsageError(
        fmt::format("{} of shape [{}, {}]", name, found->second.rows(), found->second.cols()),
        fmt::format("must be [{}], one number per channel that its W gives", width),
        "save it from the same layer");
  return found->second.template cast<T>();
}

}  // namespace

ParamSpec weights_param() {
  return stated_if_set(choice_param(
      "weights",
      "How $W_q$, $W_k$, $W_v$, $W_o$ and projections of the encoding are stored; to be said "
      "where any of them is given.",
      "unstated",
      {{"unstated", "no projection is given"},
       {"x_W", "applied as $x·W$: [d_model, heads·d]"},
       {"torch_linear",
        "applied as $x·W^T$, [heads·d, d_model], as torch.nn.Linear "
        "stores its weight"}}));
}

std::vector<ParamSpec> projection_params() {
  std::vector<ParamSpec> specs;
  for (const char* of : {"q", "k", "v", "o"}) {
    const bool output = std::string_view(of) == "o";
    const auto add = [&](const char* letter, const char* shape) {
      const std::string name = fmt::format("{}_{}", letter, of);
      ParamSpec spec = table_param(
          name,
          fmt::format("{} {}", shape,
                      output ? "Acts on the heads' outputs side by side." : "Acts on contents x."));
      specs.push_back(output ? spec : read_while("x", {"*"}, std::move(spec)));
    };
    add("W", output ? "$[H d_v, d]$" : "[d_model, heads·d_head]");
    add("b", output ? "[d_model]" : "[heads·d_head]");
  }
  return specs;
}

Tables applied_from_the_right(const ParamSet& params, Tables tables) {
  bool any = false;
  for (const std::string& name : matrix_names(params)) {
    const auto found = tables.find(name);
    if (found == tables.end()) continue;
    any = true;
    if (params.text("weights") == "unstated")
      throw UsageError(
          fmt::format("{} of shape [{}, {}] without weights=", name, found->second.rows(),
                      found->second.cols()),
          "can be applied as x·W or as x·Wᵀ",
          "set weights=torch_linear for the weight of a torch.nn.Linear, [heads·d, d_model], or "
          "weights=x_W for [d_model, heads·d]");
    if (is_torch_linear(params)) found->second = found->second.transpose().eval();
  }
  if (!any && params.text("weights") != "unstated")
    throw UsageError(fmt::format("weights={}", params.text("weights")),
                     "is read beside a projection only",
                     fmt::format("give {}=FILE, or leave weights out",
                                 fmt::join(matrix_names(params), "=FILE or ")));
  if (tables.count("b_o") > 0 && tables.count("W_o") == 0)
    throw UsageError("b_o without W_o", "is added to the output projection", "give W_o=FILE too");
  return tables;
}

template <class T>
std::optional<LayerProjections<T>> projections_of(const ParamSet& params, const AttendInputs& in,
                                                  const Tables& tables, const AttendLayer& layout) {
  if (!in.x) return std::nullopt;
  Matrix<T> w_q = projection<T>(params, tables, "W_q", layout, layout.heads);
  const int kv_heads = kv_heads_of(params, tables, layout);
  LayerProjections<T> w{std::move(w_q),
                        projection<T>(params, tables, "W_k", layout, kv_heads),
                        projection<T>(params, tables, "W_v", layout, kv_heads),
                        {layout.heads, kv_heads}};
  w.b_q = bias<T>(tables, "b_q", w.W_q.cols());
  w.b_k = bias<T>(tables, "b_k", w.W_k.cols());
  w.b_v = bias<T>(tables, "b_v", w.W_v.cols());
  return w;
}

template <class T>
Index output_channels(const ParamSet& params, const Tables& tables, Index width) {
  const Matrix<double>& w = tables.at("W_o");
  if (w.rows() != width)
    refuse_matrix(params, "W_o", w, "heads·d_v", "d_model", fmt::format("heads·d_v={}", width),
                  w.cols() == width);
  static_cast<void>(output_bias<T>(tables, w.cols()));
  return w.cols();
}

template <class T>
Matrix<T> output_bias(const Tables& tables, Index channels) {
  return bias<T>(tables, "b_o", channels);
}

template std::optional<LayerProjections<float>> projections_of(const ParamSet&, const AttendInputs&,
                                                               const Tables&, const AttendLayer&);
template std::optional<LayerProjections<double>> projections_of(const ParamSet&,
                                                                const AttendInputs&, const Tables&,
                                                                const AttendLayer&);
template Index output_channels<float>(const ParamSet&, const Tables&, Index);
template Index output_channels<double>(const ParamSet&, const Tables&, Index);
template Matrix<float> output_bias(const Tables&, Index);
template Matrix<double> output_bias(const Tables&, Index);

}  // namespace orrery
