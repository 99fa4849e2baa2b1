#include "experiments/studies/model_layers/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/setup/table_builder.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

/// The words that compute a point for each kind of layer; empty where there is one kind.
std::string sweep_of_kinds(const LayersFound& found, const std::string& path) {
  std::vector<int> firsts;
  for (const std::vector<int>& group : found.groups)
    if (found.plan.layers[static_cast<std::size_t>(group.front())].encoding != "not_attention")
      firsts.push_back(group.front());
  if (firsts.size() < 2 || path.starts_with("bundled:")) return "";
  return "; a point for each kind: " +
         as_marked(shell_line({"orrery", "sweep", "long_term_decay", "model=" + path,
                               fmt::format("layer={}", fmt::join(firsts, ","))}));
}

/// A printed table of sentences; none without any.
void add_sentences(const char* name, const char* caption, const char* column,
                   const std::vector<std::string>& sentences, Result& result) {
  if (sentences.empty()) return;
  TableBuilder table(name, caption, {{column}});
  for (const std::string& sentence : sentences) table.row({sentence});
  result.tables.push_back(std::move(table).finish_printed());
}

Table files_table(const std::string& caption, const std::vector<const PositionPlan*>& plans) {
  TableBuilder table("files", caption, {{"file"}, {"format"}, {"model_type"}, {"layers"}});
  for (const PositionPlan* plan : plans)
    table.row({plan->source, plan->format, plan->model_type, plan->layers.size()});
  return std::move(table).finish_printed();
}

/// @param stack  "", or " of the decoder"
Table kind_table(std::size_t number, const std::vector<int>& group, const LayerPlan& layer,
                 const std::string& stack) {
  TableBuilder table(
      fmt::format("kind_{}", number),
      numbers_text(group) + stack + (layer.type.empty() ? "" : " (" + as_marked(layer.type) + ")"),
      {{"setting"}, {"value"}, {"from"}});
  for (const PositionFact& fact : facts_of(layer)) table.row({fact.label, fact.value, fact.reason});
  return std::move(table).finish_printed();
}

}  // namespace

void add_answers(const LayersFound& found, const std::string& path, Result& result) {
  const PositionPlan& plan = found.plan;
  result.files.push_back({"positions.json", positions_json(plan)});
  result.tables.push_back(files_table("what was read" + sweep_of_kinds(found, path), {&plan}));
  std::size_t kinds = 0;
  const auto add_kinds = [&](const std::vector<std::vector<int>>& groups,
                             const std::vector<LayerPlan>& layers, const std::string& stack) {
    for (const std::vector<int>& group : groups)
      result.tables.push_back(
          kind_table(++kinds, group, layers[static_cast<std::size_t>(group.front())], stack));
  };
  const bool is_alone = plan.other.empty();
  const std::string other = other_stack(plan);
  add_kinds(found.groups, plan.layers,
            is_alone             ? ""
            : other == "decoder" ? " of the encoder"
                                 : " of the decoder");
  add_kinds(alike_layers(plan.other), plan.other, " of the " + other);
  add_sentences("assumed", "what no file says", "assumed", plan.assumed, result);
}

void add_comparison(const LayersFound& found, const PositionPlan& other, Result& result) {
  const PositionComparison comparison = compare_positions(found.plan, other);
  for (Table& table : result.tables) table.printed = false;
  result.tables.push_back(files_table("what is compared", {&found.plan, &other}));
  result.tables.back().name = "compared_files";
  TableBuilder table("differences", "where the two files differ",
                     {{"layers"}, {"difference"}, {"model"}, {"other"}});
  for (const PositionComparison::Difference& difference : comparison.differences)
    table.row({difference.layers.empty() ? "" : numbers_text(difference.layers), difference.field,
               difference.a, difference.b});
  if (!comparison.differences.empty()) result.tables.push_back(std::move(table).finish_printed());
  add_sentences("notes", "what differs in the files alone", "note", comparison.notes, result);
  result.checks.push_back(
      {.name = "same_positions",
       .statement = "both files compute the same positions in every layer (differences)",
       .equation = "layer by layer",
       .measured = static_cast<double>(comparison.differences.size()),
       .bound = 0});
}

}  // namespace orrery
