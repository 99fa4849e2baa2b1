#include "experiments/checkpoints/family_table.h"

#include <fmt/format.h>

#include "core/transformer/activation.h"
#include "experiments/checkpoints/family.h"
#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

std::string norm_text(const Family& family) {
  static const EnumNames<NormPlace> places{{NormPlace::before, "before"},
                                           {NormPlace::after, "after"},
                                           {NormPlace::inside, "inside"},
                                           {NormPlace::around, "around"},
                                           {NormPlace::through, "through"}};
  return fmt::format("{}{} {}", family.norm == NormKind::rms ? "RMSNorm" : "LayerNorm",
                     family.adds_one ? " (1 + w)" : "", name_in(places, family.place));
}

std::string order_text(BlockOrder order) {
  static const EnumNames<BlockOrder> orders{{BlockOrder::sequential, "sequential"},
                                            {BlockOrder::parallel, "parallel"},
                                            {BlockOrder::parallel_shared, "parallel, one norm"}};
  return std::string(name_in(orders, order));
}

std::string qk_norm_text(QkNormSpan span) {
  if (span == QkNormSpan::none) return "";
  return span == QkNormSpan::head ? "by head" : "by layer";
}

std::string feed_forward_text(const Family& family) {
  return fmt::format("{}{}", activation_name(family.activation), family.gated ? ", gated" : "");
}

FamilyRow row_of(const Family& family) {
  return {.name = std::string(family.name),
          .model_types = std::string(family.types),
          .architectures = std::string(family.architectures),
          .norm = norm_text(family),
          .epsilon = family.epsilon,
          .blocks = order_text(family.order),
          .feed_forward = feed_forward_text(family),
          .qk_norm = qk_norm_text(family.qk_norm),
          .tied = family.tied};
}

std::string line_of(const std::array<std::string_view, 7>& cells) {
  return fmt::format("{:17} {:29} {:25} {:19} {:24} {:8} {}\n", cells[0], cells[1], cells[2],
                     cells[3], cells[4], cells[5], cells[6]);
}

}  // namespace

std::vector<FamilyRow> family_rows() {
  std::vector<FamilyRow> rows;
  for (const Family& family : families()) rows.push_back(row_of(family));
  return rows;
}

std::string families_text() {
  std::string text =
      line_of({"family", "model_type", "norm", "blocks", "feed-forward", "qk-norm", "GGUF"});
  for (const FamilyRow& row : family_rows())
    text += line_of({row.name, row.model_types, row.norm, row.blocks, row.feed_forward, row.qk_norm,
                     row.architectures});
  return text +
         "\nNorms: before x + f(N(x)), after N(x + f(x)), inside x + N(f(x)), around "
         "x + N(f(N(x))).\n"
         "Options of single models, such as parallel blocks, are read from their own files.\n";
}

std::string family_of_model(std::string_view model_type) {
  const Family* family = find_family_of_type(model_type);
  if (!family) family = find_family_of_architecture(model_type);
  return family ? std::string(family->name) : "";
}

}  // namespace orrery
