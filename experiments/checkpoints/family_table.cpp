#include "experiments/checkpoints/family_table.h"

#include <fmt/format.h>

#include "core/transformer/activation.h"
#include "experiments/checkpoints/family.h"

namespace orrery {
namespace {

std::string norm_text(const Family& family) {
  std::string text = family.norm == NormKind::rms ? "RMSNorm" : "LayerNorm";
  if (family.adds_one) text += " (1 + w)";
  switch (family.place) {
    case NormPlace::before:
      return text + " before";
    case NormPlace::after:
      return text + " after";
    case NormPlace::inside:
      return text + " inside";
    case NormPlace::around:
      return text + " around";
    case NormPlace::through:
      return text + " through";
  }
  return text;
}

const char* order_text(BlockOrder order) {
  switch (order) {
    case BlockOrder::sequential:
      return "sequential";
    case BlockOrder::parallel:
      return "parallel";
    case BlockOrder::parallel_shared:
      return "parallel, one norm";
  }
  return "";
}

const char* qk_norm_text(QkNormSpan span) {
  switch (span) {
    case QkNormSpan::none:
      return "";
    case QkNormSpan::head:
      return "by head";
    case QkNormSpan::layer:
      return "by layer";
  }
  return "";
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
