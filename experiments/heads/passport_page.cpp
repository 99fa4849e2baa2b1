#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/largest.h"
#include "experiments/heads/passport.h"
#include "experiments/text/xml.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

constexpr const char* page_style =
    R"(:root{--paper:#fff;--ink:#22262e;--quiet:#5a616e;--line:#dfe3ea;--a:#1f55b5;--bad:#b3261e;--good:#0b6b47}
@media(prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#eceff4;--quiet:#a5adba;--line:#343a45;--a:#8ab4ff;--bad:#ff8a80;--good:#5fd3a2}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.45 'DejaVu Sans',system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px;display:flex;flex-wrap:wrap;gap:28px}section{flex:1 1 520px;min-width:0}
h1{font-size:22px;margin:0}h2{font-size:16px;margin:22px 0 6px;border-top:1px solid var(--line);padding-top:8px}p{margin:4px 0}
.q,text{color:var(--quiet);fill:var(--quiet)}.bad{color:var(--bad)}.good{color:var(--good)}.w{overflow-x:auto}
table{border-collapse:collapse;font-size:13px}th,td{text-align:left;padding:2px 10px 2px 0;vertical-align:top;border-bottom:1px solid var(--line)}
td.n{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}text{font:11px 'DejaVu Sans',sans-serif}
polyline{fill:none;stroke:var(--a);stroke-width:2}.ax{stroke:var(--line)}.dot{fill:var(--a)}.bar{fill:var(--a)}.neg{fill:var(--good)}
.k{display:inline-block;width:10px;height:10px;margin:0 4px 0 10px}
)";

/// Blue to orange: from contents, or the fastest band, to places, or the slowest.
constexpr const char* scale_colors[] = {"#2b5ea7", "#5c8fd0", "#a3bfe0", "#d9d4c8",
                                        "#e8b777", "#d98a35", "#b85c12", "#7d3507"};
constexpr std::size_t scale_steps = std::size(scale_colors);
constexpr const char* sink_color = "#8b9099";

std::string words(const ordered_json& value) {
  if (value.is_null()) return "–";
  return text::xml_escaped(value.is_string() ? value.get<std::string>() : value.dump());
}

double number_of(const ordered_json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

std::string signed_cell(const ordered_json& value) {
  const double number = number_of(value);
  if (std::isnan(number)) return "<td class=n>–";
  return fmt::format("<td class=n>{:+.3f}", number);
}

// ---- Charts --------------------------------------------------------------------------------------

struct ChartPoint {
  std::string label;
  double value;
};

/// A curve over steps that are as wide as each other, with every value's label below it.
std::string curve_svg(const std::vector<ChartPoint>& points, const char* about) {
  constexpr double width = 480, height = 150, left = 40, bottom = 20, top = 10;
  Largest highest(-INFINITY);
  Smallest lowest(INFINITY);
  for (const ChartPoint& point : points)
    if (!std::isnan(point.value)) {
      highest.see(point.value);
      lowest.see(point.value);
    }
  const double high = highest.value(), low = lowest.value();
  if (!(low <= high)) return "";
  const double span = high > low ? high - low : 1;
  const double step =
      (width - left - 20) / static_cast<double>(std::max<std::size_t>(points.size() - 1, 1));
  std::string line, dots, labels;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isnan(points[i].value)) continue;
    const double x = left + step * static_cast<double>(i);
    const double y = top + (height - top - bottom) * (high - points[i].value) / span;
    line += fmt::format("{:.1f},{:.1f} ", x, y);
    if (points[i].label.empty()) continue;
    dots += fmt::format("<circle class=dot cx={:.1f} cy={:.1f} r=3 />", x, y);
    labels += fmt::format("<text x={:.1f} y={} text-anchor=middle>{}</text>", x, height - 5,
                          points[i].label);
  }
  return fmt::format(
      "<svg viewBox='0 0 {0} {1}' width={0} role=img aria-label='{2}'>"
      "<path class=ax d='M{3} {4}V{5}H{0}' fill=none /><text x=0 y={6}>{7:.2f}</text><text x=0 "
      "y={5}>{8:.2f}</text>"
      "<polyline points='{9}'/>{10}{11}</svg>\n",
      width, height, about, left - 6, top, height - bottom, top + 8, high, low, line, dots, labels);
}

/// A square for each head, layers to the right: paths by colour keep a model of many heads small.
template <class ColorOf>
std::string grid_svg(const ordered_json& document, const char* about, const ColorOf& color_of) {
  const ordered_json& rows = document.at("heads_by_score").at("rows");
  if (rows.empty()) return "";
  const auto layers = document.at("layers").get<int>(), heads = document.at("heads").get<int>();
  const int cell = std::clamp(480 / std::max<int>(layers, 1), 8, 28);
  std::vector<std::pair<std::string, std::string>> paths;
  for (const ordered_json& row : rows) {
    const std::string color = color_of(row);
    const auto known = std::find_if(paths.begin(), paths.end(),
                                    [&](const auto& path) { return path.first == color; });
    std::string& path = known != paths.end() ? known->second : paths.emplace_back(color, "").second;
    path += fmt::format("M{} {}h{}v{}h-{}z", row.at(0).get<int>() * cell,
                        row.at(1).get<int>() * cell, cell - 1, cell - 1, cell - 1);
  }
  std::string body;
  for (const auto& [color, path] : paths)
    body += fmt::format("<path fill='{}' d='{}'/>", color, path);
  return fmt::format("<svg viewBox='0 0 {0} {1}' width={0} role=img aria-label='{2}'>{3}</svg>\n",
                     layers * cell, heads * cell, about, body);
}

std::string key_of(const char* color, const char* name) {
  return fmt::format("<span class=k style='background:{}'></span>{}", color, name);
}

// ---- Chapters ------------------------------------------------------------------------------------

std::string encoding_html(const ordered_json& document) {
  std::string html = "<h2>Positions, and why the file is read so</h2>\n";
  for (const ordered_json& layers : document.at("encoding")) {
    html += fmt::format("<p>{}</p><div class=w><table>", words(layers.at("layers")));
    for (const ordered_json& fact : layers.at("facts"))
      html += fmt::format("<tr><td>{}<td>{}<td class=q>{}", words(fact.at("field")),
                          words(fact.at("value")), words(fact.at("reason")));
    html += "</table></div>\n";
  }
  for (const ordered_json& sentence : document.at("assumed"))
    html += fmt::format("<p class=bad>Assumed: {}</p>\n", words(sentence));
  return html;
}

std::string verified_html(const ordered_json& document) {
  if (!document.at("predicts_next").get<bool>())
    return "<h2>Verified by its loss</h2>\n<p class=q>No: the model does not predict the next "
           "token, so that no loss tells how its weights are meant.</p>\n";
  const ordered_json& verified = document.at("verified");
  std::string html = fmt::format(
      "<h2>Verified by its loss</h2>\n<p class=q>{} texts prefer, {} others test; p by Holm over "
      "all tests.</p>\n<div class=w><table><tr><th>question<th>verdict<th>as it stands"
      "<th>next best<th>p",
      words(verified.at("texts_that_prefer")), words(verified.at("texts_that_test")));
  for (const ordered_json& question : verified.at("questions")) {
    const std::string verdict = words(question.at("verdict"));
    const bool has_rival = question.contains("rival");
    html += fmt::format(
        "<tr><td>{}<td class={}>{}<td>{} ({})<td>{}<td class=n>{}", words(question.at("question")),
        verdict == "confirmed"      ? "good"
        : verdict == "contradicted" ? "bad"
                                    : "q",
        verdict, words(question.at("stands")), words(question.at("loss")),
        has_rival
            ? fmt::format("{} ({})", words(question.at("rival")), words(question.at("rival_loss")))
            : "–",
        has_rival ? words(question.at("p_holm")) : "–");
  }
  return html + "</table></div>\n";
}

std::string heads_html(const ordered_json& document) {
  const ordered_json& heads = document.at("heads_by_score");
  std::string html = "<h2>Heads</h2>\n<p>";
  if (heads.at("by_place").is_null())
    html += "Contents carry their places, so that no head is told to go by either";
  else
    html += fmt::format("{} go by place and {} by content", words(heads.at("by_place")),
                        words(heads.at("by_content")));
  html += fmt::format("; in {} the first token has most of the weight.</p>\n",
                      words(heads.at("sinks")));
  const bool has_places = std::any_of(heads.at("rows").begin(), heads.at("rows").end(),
                                      [](const ordered_json& row) { return !row.at(3).is_null(); });
  const auto color_at = [](double share) {
    const auto step = static_cast<std::size_t>(share * static_cast<double>(scale_steps));
    return std::string(scale_colors[std::min<std::size_t>(step, scale_steps - 1)]);
  };
  if (has_places)
    html += grid_svg(document, "share of places in logits, by layer and head",
                     [&](const ordered_json& row) {
                       if (row.at(2) == 1) return std::string(sink_color);
                       const double share = number_of(row.at(3));
                       return std::isnan(share) ? std::string("none") : color_at(share);
                     }) +
            "<p class=q>Layers to the right, heads down:" + key_of(scale_colors[0], "content") +
            key_of(scale_colors[7], "place") + key_of(sink_color, "sink") + "</p>\n";
  const bool has_bands = std::any_of(heads.at("rows").begin(), heads.at("rows").end(),
                                     [](const ordered_json& row) { return !row.at(4).is_null(); });
  if (has_bands)
    html += grid_svg(document, "strongest band of RoPE, by layer and head",
                     [&](const ordered_json& row) {
                       return row.at(4).is_null()
                                  ? std::string("none")
                                  : scale_colors[row.at(4).get<std::size_t>() % scale_steps];
                     }) +
            "<p class=q>The band of RoPE that explains most of the logits:" +
            key_of(scale_colors[0], "fastest pairs") + key_of(scale_colors[7], "slowest") +
            "</p>\n";
  html +=
      "<p class=q>Heads that even texts have chosen, with their scores on odd ones:</p>\n"
      "<div class=w><table>";
  for (const auto& [score, chosen] : heads.at("chosen_by_even_texts_tested_on_odd").items()) {
    std::vector<std::string> parts;
    for (const ordered_json& head : chosen)
      parts.push_back(fmt::format("{} {}{}", words(head.at("head")), words(head.at("tested")),
                                  head.at("sink").get<bool>() ? " (sink)" : ""));
    html += fmt::format("<tr><td>{}<td>{}", text::xml_escaped(score), fmt::join(parts, ", "));
  }
  return html + "</table></div>\n";
}

std::string losses_html(const ordered_json& document) {
  std::vector<ChartPoint> places, contexts, copied;
  for (const ordered_json& place : document.at("loss_by_place"))
    places.push_back({words(place.at("to")), number_of(place.at("loss"))});
  const ordered_json& reach = document.at("reach");
  for (const ordered_json& one : reach.at("contexts"))
    contexts.push_back({words(one.at("context")), number_of(one.at("loss"))});
  const ordered_json& copying = document.at("copying");
  for (const ordered_json& loss : copying.at("loss_by_position"))
    copied.push_back({"", number_of(loss)});
  return fmt::format(
      "<h2>Loss by place and true reach</h2>\n<p>{} nats on the texts that test. By the last token "
      "of each bin:</p>\n{}<p>A longer context is shown to help up to {}<b>{} tokens</b>: the last "
      "{} tokens of each text "
      "behind "
      "contexts of so many tokens, each against one half as long, by paired t over "
      "texts "
      "and Holm.</p>\n{}<h2>Copying</h2>\n<p>{} random tokens: {} nats, and {} when they come "
      "again; "
      "chance is {}. By position, {} sequences, seed {}:</p>\n{}",
      words(document.at("loss")), curve_svg(places, "loss by place"),
      reach.at("is_limit_of_the_texts").get<bool>() ? "at least " : "", words(reach.at("tokens")),
      words(reach.at("targets")), curve_svg(contexts, "loss by context"),
      words(copying.at("repeated")), words(copying.at("first_half")),
      words(copying.at("second_half")), words(copying.at("loss_of_chance")),
      words(copying.at("repeats")), words(copying.at("seed")),
      curve_svg(copied, "loss of repeated random tokens by position"));
}

std::string breaks_html(const ordered_json& breaks) {
  Largest largest;
  for (const ordered_json& one : breaks) largest.see(std::abs(number_of(one.at("difference"))));
  const double most = largest.value();
  std::string html =
      "<h2>What breaks it</h2>\n<p class=q>Change of the mean loss of odd texts, in nats, with its "
      "95 % over texts; of copying, that of the second half.</p>\n<div "
      "class=w><table><tr><th>change"
      "<th>loss<th><th>95 %<th>p<th>copying";
  for (const ordered_json& one : breaks) {
    const double difference = number_of(one.at("difference"));
    const double width = most > 0 ? 90 * std::abs(difference) / most : 0;
    html += fmt::format(
        "<tr><td>{}<br><code class=q>{}</code>{}<td><svg viewBox='0 0 90 10' width=90><rect "
        "class={} width={:.1f} height=10 /></svg><td class=n>{} to {}<td class=n>{}{}",
        words(one.at("name")), words(one.at("edits").front()), signed_cell(one.at("difference")),
        difference < 0 ? "neg" : "bar", width, words(one.at("low")), words(one.at("high")),
        words(one.at("p_holm")), signed_cell(one.at("copying_difference")));
  }
  return html + "</table></div>\n";
}

std::string section_html(const ordered_json& document) {
  const ordered_json& how = document.at("how");
  std::string html = fmt::format(
      "<section><h1>{}</h1>\n<p>{}, {}, {} layers of {} heads</p>\n<p class=q>{} texts of up to {} "
      "tokens, {} in all, the first {}; seed {}; {}</p>\n",
      words(document.at("model")), words(document.at("family")), words(document.at("format")),
      words(document.at("layers")), words(document.at("heads")), words(how.at("texts")),
      words(how.at("longest_text")), words(how.at("tokens")), words(how.at("first_text")),
      words(how.at("seed")), words(how.at("precision")));
  html += encoding_html(document) + verified_html(document) + heads_html(document);
  if (document.at("predicts_next").get<bool>())
    html += losses_html(document) + breaks_html(document.at("breaks"));
  return html + "</section>\n";
}

std::string differences_html(const ordered_json& one, const ordered_json& other) {
  const ordered_json compared = passports_compared(one, other);
  std::string html = fmt::format(
      "<section style='flex-basis:100%'><h1>Two passports</h1>\n<div class=w><table><tr><th>differs"
      "<th>{}<th>{}",
      words(one.at("model")), words(other.at("model")));
  for (const ordered_json& row : compared.at("differences"))
    html += fmt::format("<tr><td>{}<td>{}<td>{}", words(row.at("what")), words(row.at("a")),
                        words(row.at("b")));
  return html + "</table></div></section>\n";
}

}  // namespace

std::string passport_page(const ordered_json& one, const ordered_json& other) {
  std::string body = other.is_null() ? "" : differences_html(one, other);
  body += section_html(one);
  if (!other.is_null()) body += section_html(other);
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=generator "
      "content='orrery passport'>\n<meta name=viewport "
      "content='width=device-width,initial-scale=1'>"
      "\n<meta name=color-scheme content='light dark'>\n<meta http-equiv=Content-Security-Policy "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      words(one.at("model")), page_style, body);
}

}  // namespace orrery::heads
