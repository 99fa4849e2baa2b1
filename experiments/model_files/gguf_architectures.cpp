#include "experiments/model_files/gguf_model.h"
#include "experiments/model_files/model_tables.h"

namespace orrery {
namespace {
namespace in_architectures {

constexpr std::string_view table_file = "gguf_architectures.json";

const TableFields<GgufArchitecture>& fields() {
  using A = GgufArchitecture;
  static const TableFields<A> all{
      {"name", table_value(&A::name)},
      {"pairs", table_value(&A::pairs, "none norm neox")},
      {"encoding", table_value(&A::encoding)},
      {"sections", table_value(&A::sections, "ignored chunked chunked_if_given in_turns")},
      {"windows", table_value(&A::windows, "never if_given always unless_zero of_64_layers")},
      {"window", table_value(&A::window)},
      {"period", table_value(&A::period)},
      {"full_first", table_value(&A::full_first)},
      {"key_sets_window", table_value(&A::key_sets_window)},
      {"shape", table_value(&A::shape, "behind both_sides blocks")},
      {"pattern", table_value(&A::pattern, "optional required unread")},
      {"nope", table_value(&A::nope,
                           "never every_fourth every_fourth_with_windows first_of_four full "
                           "full_with_windows full_after_dense listed switched")},
      {"sliding_base", table_value(&A::sliding_base, "same given given_or_10k")},
      {"sliding_scale", table_value(&A::sliding_scale, "same stored one plain")},
      {"sliding_width", table_value(&A::sliding_width)},
      {"half_on_full", table_value(&A::half_on_full)},
      {"plain", table_value(&A::plain)},
      {"alpha", table_value(&A::alpha)},
      {"factors", table_value(&A::factors, "unread freqs by_type long_or_short")},
      {"factors_on_full", table_value(&A::factors_on_full)},
      {"betas", table_value(&A::betas)},
      {"beta_fast", table_value(&A::beta_fast)},
      {"log_multiplier", table_value(&A::log_multiplier, "unread as_given over_tenth")},
      {"scale", table_value(&A::scale, "head key one inverse rotated gemma absorbed output_key")},
      {"wide_layers", table_value(&A::wide_layers)},
      {"temperature", table_value(&A::temperature, "none llama4 of_training by_keys")},
      {"alibi_bias", table_value(&A::alibi_bias)},
      {"recurrent",
       table_value(&A::recurrent, "never without_kv_heads or_with_feed_forward between_full")},
      {"interval", table_value(&A::interval)},
      {"rows", table_value(&A::rows, "as_trained reordered reordered_with_sections")},
      {"latent", table_value(&A::latent)},
      {"bidirectional", table_value(&A::bidirectional)},
      {"full_stays_causal", table_value(&A::full_stays_causal)},
  };
  return all;
}

}  // namespace in_architectures
}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  using namespace in_architectures;
  static const std::vector<GgufArchitecture> all =
      table_rows(table_file, "architectures", fields());
  for (const GgufArchitecture& architecture : all)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

const GgufArchitecture& unknown_gguf_architecture() {
  using namespace in_architectures;
  static const GgufArchitecture unknown =
      table_row(table_file, model_table(table_file).at("unknown"), fields());
  return unknown;
}

}  // namespace orrery
