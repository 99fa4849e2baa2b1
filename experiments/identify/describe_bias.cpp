#include "experiments/identify/identify_bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "experiments/identify/written_bias.h"

namespace orrery {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string family_name(const WrittenBias& bias) {
  switch (bias.family) {
    case BiasFamily::none:
      return "no bias";
    case BiasFamily::constant:
      return "a constant";
    case BiasFamily::alibi:
      return "ALiBi";
    case BiasFamily::kerple_log:
      return "KERPLE, logarithmic";
    case BiasFamily::kerple_power:
      return "KERPLE, power";
    case BiasFamily::sandwich:
      return "Sandwich";
    case BiasFamily::t5:
      return "T5 buckets";
    case BiasFamily::table:
      return "a free number per distance";
  }
  return "";
}

std::string numbers(const std::vector<double>& values) {
  constexpr std::size_t most = 8;
  std::vector<std::string> words;
  for (std::size_t h = 0; h < values.size() && h < most; ++h)
    words.push_back(fmt::format("{:.5g}", values[h]));
  return fmt::format("{}{}", fmt::join(words, ", "), values.size() > most ? ", …" : "");
}

std::string distance_words(const WrittenBias& bias) {
  const std::string offset = bias.offset == 0 ? "" : fmt::format(" {:+}", bias.offset);
  switch (bias.form) {
    case AlibiForm::symmetric:
      return offset.empty() ? "|m − n|" : fmt::format("|m − n|{}", offset);
    case AlibiForm::causal:
      return fmt::format("m − n{}", offset);
    case AlibiForm::key:
      if (bias.padding > 0)
        return fmt::format("−n from the first token{}, after {} keys of padding", offset,
                           bias.padding);
      return fmt::format("−n{}", offset);
  }
  return "";
}

NamedSlopes slopes_of(const WrittenBias& bias, Precision format) {
  return named_slopes(bias.size, format).front();
}

void add_alibi(const WrittenBias& bias, Precision format, Facts& facts) {
  facts.emplace_back("distance", distance_words(bias));
  facts.emplace_back("slopes", slopes_of(bias, format).words);
}

/// c_h = 8(h+1)/H, where the fitted factors are its inverse.
bool has_paper_compression(const WrittenBias& bias, Precision format) {
  const auto heads = static_cast<double>(bias.size.size());
  for (std::size_t h = 0; h < bias.size.size(); ++h) {
    const double factor = heads / (8 * (static_cast<double>(h) + 1));
    if (!(std::abs(bias.size[h] - factor) <= (2 * unit_roundoff(format) + 1e-6) * factor))
      return false;
  }
  return true;
}

void add_sandwich(const WrittenBias& bias, Precision format, Facts& facts) {
  facts.emplace_back("channels", std::to_string(bias.channels));
  facts.emplace_back("base", fmt::format("{:.0f}", bias.base));
  facts.emplace_back("compression", has_paper_compression(bias, format)
                                        ? "8(h+1)/H"
                                        : "fitted, 1/c: " + numbers(bias.size));
  if (bias.centred) facts.emplace_back("at distance 0", "0: D/2 is subtracted");
}

void add_t5(const WrittenBias& bias, Facts& facts) {
  facts.emplace_back("buckets", std::to_string(bias.buckets.buckets));
  facts.emplace_back("max distance", std::to_string(bias.buckets.max_distance));
  facts.emplace_back("direction", bias.buckets.bidirectional ? "bidirectional" : "causal");
  if (bias.swapped) facts.emplace_back("sign", "of n − m");
  Index seen = 0;
  for (Index row = 0; row < bias.table.rows(); ++row)
    seen += std::isnan(bias.table(row, 0)) ? 0 : 1;
  facts.emplace_back("numbers seen", fmt::format("{} of {}", seen, bias.table.rows()));
}

}  // namespace

Facts facts_of(const WrittenBias& bias, Precision format) {
  Facts facts{{"family", family_name(bias)}};
  switch (bias.family) {
    case BiasFamily::none:
      break;
    case BiasFamily::constant:
      facts.emplace_back("value", numbers(bias.size));
      break;
    case BiasFamily::alibi:
      add_alibi(bias, format, facts);
      break;
    case BiasFamily::kerple_log:
    case BiasFamily::kerple_power:
      facts.emplace_back("r1", numbers(bias.size));
      facts.emplace_back("r2", numbers(bias.shape));
      break;
    case BiasFamily::sandwich:
      add_sandwich(bias, format, facts);
      break;
    case BiasFamily::t5:
      add_t5(bias, facts);
      break;
    case BiasFamily::table:
      facts.emplace_back("clipped at", std::to_string(bias.clip));
      break;
  }
  return facts;
}

std::string short_text(const WrittenBias& bias, Precision format) {
  std::string text;
  for (const auto& [name, value] : facts_of(bias, format))
    text += name == "family" ? value : fmt::format("; {} {}", name, value);
  return text;
}

std::string defect_of(const WrittenBias& bias, Precision format) {
  if (bias.family == BiasFamily::t5 && bias.swapped)
    return "The buckets are those of n − m: all keys behind the query share one.";
  if (bias.family != BiasFamily::alibi) return "";
  std::string text = slopes_of(bias, format).defect;
  if (bias.offset != 0 && bias.form != AlibiForm::key)
    text += fmt::format("{}Distances are {} too {}: a constant per head, which changes no weights.",
                        text.empty() ? "" : " ", std::abs(bias.offset),
                        bias.offset > 0 ? "large" : "small");
  return text;
}

std::string setting_text(const WrittenBias& bias, Precision format) {
  const std::size_t heads = bias.size.size();
  if (bias.family == BiasFamily::none) return "encoding=none";
  if (bias.family == BiasFamily::t5 && !bias.swapped)
    return fmt::format("encoding=t5 t5.buckets={} t5.max_distance={} t5.bidirectional={}",
                       bias.buckets.buckets, bias.buckets.max_distance, bias.buckets.bidirectional);
  if (bias.family == BiasFamily::sandwich && has_paper_compression(bias, format) && !bias.centred)
    return fmt::format("encoding=sandwich base={:.0f} sandwich.channels={} heads={}", bias.base,
                       bias.channels, heads);
  if (bias.family == BiasFamily::alibi && heads > 1) {
    const NamedSlopes slopes = slopes_of(bias, format);
    const bool plain = bias.padding == 0 && (bias.offset == 0 || bias.form == AlibiForm::key);
    if (slopes.bias_max == 0 || !plain) return "";
    const char* form = bias.form == AlibiForm::symmetric ? "symmetric"
                       : bias.form == AlibiForm::causal  ? "causal"
                                                         : "key";
    return fmt::format("encoding=alibi alibi.form={} alibi.bias_max={:.0f}{} heads={}", form,
                       slopes.bias_max, slopes.over_root ? " alibi.bias_scale=root" : "", heads);
  }
  const bool kerple =
      bias.family == BiasFamily::kerple_log || bias.family == BiasFamily::kerple_power;
  if (kerple && heads == 1)
    return fmt::format("encoding=kerple kerple.variant={} kerple.r1={:.6g} kerple.r2={:.6g}",
                       bias.family == BiasFamily::kerple_log ? "logarithmic" : "power",
                       bias.size[0], bias.shape[0]);
  return "";
}

namespace {

std::string columns_words(Index count, const char* where) {
  return fmt::format("the {} {}key{}", where, count == 1 ? "" : fmt::format("{} ", count),
                     count == 1 ? "" : "s");
}

/// "the first 5 keys: left padding".
std::string padding_words(const SeenMask& mask) {
  if (mask.left > 0 && mask.right > 0)
    return fmt::format("{} and {}: padding on both sides", columns_words(mask.left, "first"),
                       columns_words(mask.right, "last"));
  if (mask.left > 0) return columns_words(mask.left, "first") + ": left padding";
  return columns_words(mask.right, "last") + ": right padding";
}

/// Windows are powers of two, as a rule: one key more or less is a slip.
std::string off_by_one_words(Position seen) {
  const auto is_power = [](Position p) {
    return p >= 4 && std::has_single_bit(static_cast<std::uint64_t>(p));
  };
  for (const Position usual : {seen - 1, seen + 1})
    if (is_power(usual))
      return fmt::format("; {} keys are seen, one {} than {}: a window off by one", seen,
                         usual < seen ? "more" : "less", usual);
  return "";
}

std::string texts_words(const SeenMask& mask) {
  constexpr std::size_t most = 12;
  const std::size_t shown = std::min(mask.starts.size(), most);
  return fmt::format(
      "of other texts: {} are packed, from keys {}{} on", mask.starts.size(),
      fmt::join(mask.starts.begin(), mask.starts.begin() + static_cast<std::ptrdiff_t>(shown),
                ", "),
      shown < mask.starts.size() ? fmt::format(" and {} more", mask.starts.size() - shown) : "");
}

/// "keys 0–11 and 20–23".
std::string blocks_words(const SeenMask& mask) {
  constexpr std::size_t most = 8;
  std::vector<std::string> blocks;
  for (std::size_t i = 0; i + 1 < mask.starts.size() && blocks.size() < most; i += 2)
    blocks.push_back(fmt::format("{}–{}", mask.starts[i], mask.starts[i + 1]));
  const std::size_t more = mask.starts.size() / 2 - blocks.size();
  return fmt::format("keys {}{}", fmt::join(blocks, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string rule_text(const SeenMask& mask) {
  switch (mask.rule) {
    case MaskRule::none:
      return "hides nothing";
    case MaskRule::causal:
      return "hides keys ahead of the query";
    case MaskRule::causal_window:
      return fmt::format("hides keys ahead of the query and those {} or more behind it{}",
                         mask.width, off_by_one_words(mask.width));
    case MaskRule::window:
      return fmt::format("hides keys {} or more away on either side", mask.width);
    case MaskRule::chunks:
      return fmt::format("hides keys ahead of the query and those of other chunks of {}",
                         mask.width);
    case MaskRule::band:
      return fmt::format("hides keys {} or more behind the query and {} or more ahead of it{}",
                         mask.width, mask.ahead,
                         std::abs(mask.width - mask.ahead) == 1 ? ": a window off by one" : "");
    case MaskRule::texts:
      return "hides keys ahead of the query and those " + texts_words(mask);
    case MaskRule::blocks:
      return "hides keys " + texts_words(mask);
    case MaskRule::without_self:
      return "hides the query's own key and those ahead: off by one, the first row sees nothing";
    case MaskRule::with_next:
      return "hides keys ahead but the next one: off by one, each query sees its answer";
    case MaskRule::top_left:
      return "hides keys after the first for the first query, after the second for the second, …: "
             "causal from the top left";
    case MaskRule::whole_blocks:
      return "hides keys ahead of the query but within blocks, " + blocks_words(mask);
    case MaskRule::sinks:
      return fmt::format(
          "hides keys ahead of the query and those {} or more behind it but for the first {}{}",
          mask.width, mask.ahead, off_by_one_words(mask.width));
    case MaskRule::columns:
      return "hides whole columns: padding";
    case MaskRule::everything:
      return "hides everything";
    case MaskRule::other:
      return "hides cells by no rule that is known";
  }
  return "";
}

}  // namespace

std::string mask_text(const SeenMask& mask) {
  if (mask.left + mask.right == 0) return rule_text(mask);
  if (mask.rule == MaskRule::none) return "hides " + padding_words(mask);
  return rule_text(mask) + ", and " + padding_words(mask);
}

}  // namespace orrery
