#include "experiments/reports/passport_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/heads/passport.h"
#include "experiments/reports/report_parts.h"

namespace orrery {
namespace {

using nlohmann::ordered_json;
using TextKind = Paragraph::Kind;

constexpr std::size_t most_cells = std::size_t{1} << 14;  ///< of a map of heads

std::string words(const ordered_json& value) {
  if (value.is_null()) return "–";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

double number_of(const ordered_json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

GridCell words_cell(const ordered_json& value) {
  if (!value.is_number()) return text_cell(words(value));
  return {.text = words(value), .kind = GridCell::Kind::number, .value = number_of(value)};
}

GridCell signed_cell(const ordered_json& value) {
  const double number = number_of(value);
  if (std::isnan(number)) return text_cell("–");
  return {.text = fmt::format("{:+.3f}", number), .kind = GridCell::Kind::number, .value = number};
}

class PassportWriter {
 public:
  PassportWriter(const ordered_json& passport, int level, std::string prefix,
                 std::vector<Block>& blocks)
      : passport_(passport), level_(level), prefix_(std::move(prefix)), blocks_(blocks) {}

  void write() {
    add_model();
    add_encoding();
    add_verified();
    add_heads();
    if (!predicts_next()) return;
    add_losses();
    add_breaks();
  }

 private:
  const ordered_json& at(const char* key) const { return passport_.at(key); }
  bool predicts_next() const { return at("predicts_next").get<bool>(); }

  void heading(const char* text, const char* anchor) {
    blocks_.push_back(Heading{level_, text, prefix_ + anchor});
  }
  void say(std::string text, TextKind kind = TextKind::plain) {
    blocks_.push_back(Paragraph{std::move(text), kind});
  }

  void add_model() {
    const ordered_json& how = at("how");
    say(fmt::format("{}, {}, {} layers of {} heads", words(at("family")), words(at("format")),
                    words(at("layers")), words(at("heads"))));
    say(fmt::format("{} texts of up to {} tokens, {} in all, the first {}; seed {}; {}",
                    words(how.at("texts")), words(how.at("longest_text")), words(how.at("tokens")),
                    words(how.at("first_text")), words(how.at("seed")), words(how.at("precision"))),
        TextKind::quiet);
  }

  void add_encoding() {
    heading("Positions, and why the file is read so", "positions");
    for (const ordered_json& layers : at("encoding")) {
      Grid grid{.header = {words(layers.at("layers")), "value", "because"}};
      for (const ordered_json& fact : layers.at("facts"))
        grid.rows.push_back({text_cell(words(fact.at("field"))),
                             text_cell(words(fact.at("value"))),
                             {.text = words(fact.at("reason")), .kind = GridCell::Kind::quiet}});
      blocks_.push_back(std::move(grid));
    }
    for (const ordered_json& sentence : at("assumed"))
      say("Assumed: " + words(sentence), TextKind::warning);
  }

  void add_verified() {
    heading("Verified by its loss", "verified");
    if (!predicts_next())
      return say(
          "No: the model does not predict the next token, so that no loss tells how its weights "
          "are meant.",
          TextKind::quiet);
    const ordered_json& verified = at("verified");
    say(fmt::format("{} texts prefer, {} others test; p by Holm over all tests.",
                    words(verified.at("texts_that_prefer")), words(verified.at("texts_that_test"))),
        TextKind::quiet);
    Grid grid{.header = {"question", "verdict", "as it stands", "next best", "p"}};
    for (const ordered_json& question : verified.at("questions"))
      grid.rows.push_back(verified_row(question));
    blocks_.push_back(std::move(grid));
  }

  static std::vector<GridCell> verified_row(const ordered_json& question) {
    const std::string verdict = words(question.at("verdict"));
    const auto with_loss = [&](const char* name, const char* loss) {
      return text_cell(fmt::format("{} ({})", words(question.at(name)), words(question.at(loss))));
    };
    const bool has_rival = question.contains("rival");
    return {text_cell(words(question.at("question"))),
            {.text = verdict,
             .kind = verdict == "confirmed"      ? GridCell::Kind::good
                     : verdict == "contradicted" ? GridCell::Kind::bad
                                                 : GridCell::Kind::quiet},
            with_loss("stands", "loss"),
            has_rival ? with_loss("rival", "rival_loss") : text_cell("–"),
            has_rival ? words_cell(question.at("p_holm")) : text_cell("–")};
  }

  void add_heads() {
    const ordered_json& heads = at("heads_by_score");
    heading("Heads", "heads");
    const std::string told =
        heads.at("by_place").is_null()
            ? "Contents carry their places, so that no head is told to go by either"
            : fmt::format(
                  "{} go by place, {} by content and {} by neither in both halves of the "
                  "texts",
                  words(heads.at("by_place")), words(heads.at("by_content")),
                  words(heads.at("by_neither_for_sure")));
    say(fmt::format("{}; in {} the first token has most of the weight.", told,
                    words(heads.at("sinks"))));
    add_map("places", "Share of places in the logits", "Grey heads are sinks.", 3, {0, 1}, true);
    add_map("bands", "Strongest band of RoPE",
            "The band that explains most of the logits, from the fastest pairs, 0, to the slowest.",
            4, {0, 7}, false);
    say("Heads that even texts have chosen, with their scores on odd ones:", TextKind::quiet);
    Grid grid{.header = {"score", "heads"}};
    for (const auto& [score, chosen] : heads.at("chosen_by_even_texts_tested_on_odd").items())
      grid.rows.push_back({text_cell(score), text_cell(chosen_heads(chosen))});
    blocks_.push_back(std::move(grid));
  }

  static std::string chosen_heads(const ordered_json& chosen) {
    std::vector<std::string> parts;
    for (const ordered_json& head : chosen)
      parts.push_back(fmt::format("{} {}{}", words(head.at("head")), words(head.at("tested")),
                                  head.at("sink").get<bool>() ? " (sink)" : ""));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  /// A map of the heads, layers to the right and heads down, of one column of their rows; nothing
  /// where no row has it.
  void add_map(const char* id, const char* title, const char* caption, std::size_t column,
               Range range, bool masks_sinks) {
    const ordered_json& rows = at("heads_by_score").at("rows");
    if (std::ranges::all_of(rows,
                            [&](const ordered_json& row) { return row.at(column).is_null(); }))
      return;
    std::size_t layers = 0, heads = 0;
    for (const ordered_json& row : rows) {
      layers = std::max(layers, row.at(0).get<std::size_t>() + 1);
      heads = std::max(heads, row.at(1).get<std::size_t>() + 1);
    }
    if (layers > most_cells / heads) return;
    std::vector<double> values(heads * layers, std::nan("")), masked(heads * layers);
    for (const ordered_json& row : rows) {
      const std::size_t cell = row.at(1).get<std::size_t>() * layers + row.at(0).get<std::size_t>();
      values[cell] = number_of(row.at(column));
      masked[cell] = masks_sinks && row.at(2) == 1 ? 1 : 0;
    }
    const auto array = [&](const char* name, std::vector<double> cells) {
      return std::make_shared<const Array>(Array{.name = name,
                                                 .shape = {heads, layers},
                                                 .axes = {"head", "layer"},
                                                 .values = std::move(cells)});
    };
    add_figure(id, title, caption,
               Heatmap{.values = array(id, std::move(values)),
                       .masked = masks_sinks ? array("sinks", std::move(masked)) : nullptr,
                       .x = {.label = "layer"},
                       .y = {.label = "head"},
                       .quantity = title,
                       .range = range});
  }

  template <class Content>
  void add_figure(const char* id, const char* title, const char* caption, Content content) {
    blocks_.push_back(Picture{
        .figure = {.id = id, .title = title, .caption = caption, .content = std::move(content)},
        .id = prefix_ + id});
  }

  /// The losses of a list by `key` of its items; by their places in it where that is empty.
  void add_curve(const char* id, const char* title, const ordered_json& list, const char* key,
                 Axis axis) {
    Series series{.name = "loss", .marked = *key != 0};
    for (std::size_t i = 0; i < list.size(); ++i) {
      series.x.push_back(*key ? number_of(list[i].at(key)) : static_cast<double>(i));
      series.y.push_back(number_of(*key ? list[i].at("loss") : list[i]));
    }
    if (std::ranges::all_of(series.y, [](double y) { return std::isnan(y); })) return;
    add_figure(id, title, "",
               LinePlot{.x = std::move(axis),
                        .y = {.label = "loss", .unit = "nats"},
                        .series = {std::move(series)}});
  }

  void add_losses() {
    const ordered_json& reach = at("reach");
    const ordered_json& copying = at("copying");
    heading("Loss by place and true reach", "reach");
    say(fmt::format("{} nats on the texts that test, 95 % {} to {}. By the last token of each bin:",
                    words(at("loss")), words(at("loss_low")), words(at("loss_high"))));
    add_curve("by-place", "Loss by place", at("loss_by_place"), "to",
              {.label = "predicted token", .scale = AxisScale::log2});
    say(
        fmt::format("A longer context is shown to help up to {}{} tokens: the last {} tokens of "
                    "each text behind contexts of so many tokens, each against one half as long, "
                    "by paired t over texts and Holm.",
                    reach.at("is_limit_of_the_texts").get<bool>() ? "at least " : "",
                    words(reach.at("tokens")), words(reach.at("targets"))));
    add_curve("by-context", "Loss by context", reach.at("contexts"), "context",
              {.label = "context", .unit = "tokens", .scale = AxisScale::log2});
    heading("Copying", "copying");
    say(
        fmt::format("{} random tokens: {} nats, and {} when they come again; chance is {}. By "
                    "position, {} sequences, seed {}:",
                    words(copying.at("repeated")), words(copying.at("first_half")),
                    words(copying.at("second_half")), words(copying.at("loss_of_chance")),
                    words(copying.at("repeats")), words(copying.at("seed"))));
    add_curve("copied", "Loss of repeated random tokens", copying.at("loss_by_position"), "",
              {.label = "position", .unit = "tokens"});
  }

  void add_breaks() {
    heading("What changes cost", "breaks");
    say("Change of the mean loss of odd texts, in nats, with its 95 % over texts; of copying, that "
        "of the second half.",
        TextKind::quiet);
    double most = 0;
    for (const ordered_json& one : at("breaks"))
      most = std::max(most, std::abs(number_of(one.at("difference"))));
    Grid grid{.header = {"change", "edit", "loss", "95 %", "p", "copying"}};
    for (const ordered_json& one : at("breaks")) {
      GridCell difference = signed_cell(one.at("difference"));
      if (most > 0) difference.bar = difference.value / most;
      grid.rows.push_back(
          {text_cell(words(one.at("name"))),
           {.text = Spans{{Span::Kind::code, words(one.at("edits").front()), ""}}},
           difference,
           text_cell(fmt::format("{} to {}", words(one.at("low")), words(one.at("high")))),
           words_cell(one.at("p_holm")),
           signed_cell(one.at("copying_difference"))});
    }
    blocks_.push_back(std::move(grid));
  }

  const ordered_json& passport_;
  int level_;
  std::string prefix_;
  std::vector<Block>& blocks_;
};

void add_column(const ordered_json& passport, const char* prefix, std::vector<Block>& blocks) {
  blocks.push_back(LayoutMark{LayoutMark::Kind::column_start});
  blocks.push_back(Heading{2, words(passport.at("model")), std::string(prefix) + "model"});
  PassportWriter(passport, 3, prefix, blocks).write();
}

/// Empty for what a file says, and for a number whose spread nobody knows.
GridCell spread_cell(const ordered_json& difference) {
  const ordered_json& beyond = difference.at("beyond_spread");
  return text_cell(beyond.is_null() ? "" : beyond.get<bool>() ? "yes" : "no");
}

}  // namespace

Document passport_page(const ordered_json& one, const ordered_json& other) {
  Document page{.title = words(one.at("model")), .generator = "orrery passport"};
  if (other.is_null()) {
    PassportWriter(one, 2, "", page.blocks).write();
    return page;
  }
  page.title = "Two passports";
  Grid grid{
      .header = {"differs", words(one.at("model")), words(other.at("model")), "beyond the spread"}};
  const ordered_json compared = passports_compared(one, other);
  for (const ordered_json& row : compared.at("differences"))
    grid.rows.push_back({text_cell(words(row.at("what"))), text_cell(words(row.at("a"))),
                         text_cell(words(row.at("b"))), spread_cell(row)});
  page.blocks.push_back(std::move(grid));
  add_column(one, "a-", page.blocks);
  add_column(other, "b-", page.blocks);
  return page;
}

}  // namespace orrery
