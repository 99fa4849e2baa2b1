#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/themed_svg.h"
#include "experiments/files/file.h"
#include "experiments/reports/document.h"
#include "experiments/text/xml.h"

namespace orrery::reports {
namespace {

constexpr std::string_view style = R"(
:root{--ground:#fafbfd;--paper:#fff;--ink:#22262e;--quiet:#5a616e;--line:#dfe3ea;--good:#0b6b47;--bad:#b3261e;--warn:#fff4d6;--link:#1f55b5}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 'DejaVu Sans',system-ui,sans-serif}
main{max-width:1280px;margin:0 auto;padding:28px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:19px;margin:36px 0 10px;padding-top:10px;border-top:1px solid var(--line)}
h3{font-size:16px;margin:26px 0 8px}
p{margin:8px 0}
.quiet,.subtitle{color:var(--quiet)}
.subtitle{font-size:16px;margin:0 0 12px}
.warning{background:var(--warn);border-left:4px solid var(--bad);padding:8px 12px;margin:10px 0}
.warning ul{margin:4px 0}
a{color:var(--link)}
nav{margin:14px 0;padding:10px 14px;background:var(--paper);border:1px solid var(--line);border-radius:6px;font-size:14px}
nav ol{columns:3 220px;margin:4px 0;padding-left:22px}
pre{background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:10px 12px;overflow-x:auto;font:13px/1.45 'DejaVu Sans Mono',monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13.5px;margin:8px 0}
th,td{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:600}
th.number,td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.good{color:var(--good);font-weight:600}
td.bad{color:var(--bad);font-weight:600}
table.interactive th{cursor:pointer}
table.interactive th[aria-sort=ascending]::after{content:' ▲';font-size:10px}
table.interactive th[aria-sort=descending]::after{content:' ▼';font-size:10px}
input.filter{font:inherit;font-size:14px;padding:4px 8px;width:min(320px,100%);border:1px solid var(--line);border-radius:4px;background:var(--paper);color:var(--ink)}
figure{margin:14px 0;break-inside:avoid}
figure svg{display:block;width:100%;max-width:760px;height:auto;border:1px solid var(--line);border-radius:4px}
figure.panels{grid-column:1/-1}
figure.panels svg{max-width:1232px}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(560px,100%),1fr));gap:0 18px}
.in-dark{display:none}
)";

constexpr std::string_view dark_style =
    R"(:root{--ground:#14171c;--paper:#1b1f26;--ink:#eceff4;--quiet:#a5adba;--line:#343a45;--good:#5fd3a2;--bad:#ff8a80;--warn:#3a2f14;--link:#8ab4ff}
.in-dark{display:block}
.in-light{display:none}
)";

constexpr std::string_view print_style = R"(@media print{
@page{margin:16mm}
body{background:#fff;font-size:10.5pt}
main{max-width:none;padding:0}
nav,input.filter{display:none}
h2,h3{break-after:avoid}
tr,pre{break-inside:avoid}
.figures{display:block}
.wide{overflow-x:visible}
.wide table{font-size:8pt}
a{color:inherit;text-decoration:none}
}
)";

// Sorting and filtering; the page is complete without it.
constexpr std::string_view script = R"(
for(const table of document.querySelectorAll('table.interactive')){
  const body=table.tBodies[0],rows=[...body.rows];
  const key=(row,i)=>row.cells[i].dataset.value??row.cells[i].textContent;
  table.querySelectorAll('th').forEach((head,i)=>head.addEventListener('click',()=>{
    const down=head.getAttribute('aria-sort')==='ascending';
    table.querySelectorAll('th').forEach(other=>other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort',down?'descending':'ascending');
    const order=(a,b)=>{const x=key(a,i),y=key(b,i),m=parseFloat(x),n=parseFloat(y);
      return isNaN(m)||isNaN(n)?x.localeCompare(y,undefined,{numeric:true}):m-n};
    body.append(...[...body.rows].sort((a,b)=>down?order(b,a):order(a,b)));
  }));
  const filter=document.createElement('input');
  filter.className='filter';filter.type='search';filter.placeholder='Filter rows';
  filter.setAttribute('aria-label','Filter rows');
  filter.addEventListener('input',()=>{
    const words=filter.value.toLowerCase().split(/\s+/);
    for(const row of rows)row.hidden=!words.every(word=>row.textContent.toLowerCase().includes(word));
  });
  table.parentElement.before(filter);
}
)";

/// The SHA-256 of a text as a Content-Security-Policy writes it: base64 of 32 bytes, 43 digits and
/// one of padding.
std::string sha256_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  unsigned bits = 0, count = 0;
  for (const char c : sha256_hex(text)) {
    bits = bits << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    encoded += digits[bits >> count];
    bits &= (1u << count) - 1;
  }
  return encoded + digits[bits << (6 - count)] + '=';  // 256 = 42 · 6 + 4
}

std::string_view class_of(GridCell::Kind kind) {
  switch (kind) {
    case GridCell::Kind::text:
      return "";
    case GridCell::Kind::number:
      return "number";
    case GridCell::Kind::good:
      return "good";
    case GridCell::Kind::bad:
      return "bad";
  }
  return "";
}

class HtmlWriter {
 public:
  explicit HtmlWriter(const Document& document) : svgs_(document.page), room_(document.room) {}

  std::string write(const Document& document) {
    for (const Block& block : document.blocks) add(block);
    close_figures();
    const std::string title = xml_escaped(document.title);
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"generator\" content=\"orrery report\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n{}<title>{}</title>\n"
        "<style>{}@media screen and (prefers-color-scheme:dark){{\n{}{}}}\n{}</style>\n</head>\n"
        "<body>\n<main>\n<h1>{}</h1>\n{}{}{}</main>\n{}</body>\n</html>\n",
        policy(), title, style, dark_style, svgs_.dark_rules(), print_style, title,
        document.subtitle.empty()
            ? ""
            : fmt::format("<p class=\"subtitle\">{}</p>\n", xml_escaped(document.subtitle)),
        contents(document), body_,
        interactive_ ? fmt::format("<script>{}</script>\n", script) : "");
  }

 private:
  /// The page loads nothing, and runs nothing but its own script, whatever a text in it may hold.
  static std::string policy() {
    return fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; img-src data:; font-src data:; script-src 'sha256-{}'; base-uri 'none'; "
        "form-action 'none'\">\n",
        sha256_base64(script));
  }

  static std::string contents(const Document& document) {
    constexpr std::size_t fewest = 4;            // fewer need no table of contents
    constexpr std::size_t first = 36, last = 4;  // of more than these the others are only counted
    std::vector<const Heading*> headings;
    for (const Block& block : document.blocks)
      if (const auto* heading = std::get_if<Heading>(&block); heading && heading->level == 2)
        headings.push_back(heading);
    const std::size_t count = headings.size();
    std::string items;
    for (std::size_t i = 0; i < count; ++i) {
      if (count > first + last && i == first)
        items +=
            fmt::format("<li>… {} more, each under its own heading</li>\n", count - first - last);
      if (count <= first + last || i < first || i >= count - last)
        items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", headings[i]->anchor,
                             xml_escaped(headings[i]->text));
    }
    return count < fewest
               ? ""
               : fmt::format("<nav aria-label=\"Contents\">\n<ol>\n{}</ol>\n</nav>\n", items);
  }

  void add(const Block& block) {
    if (!std::holds_alternative<Picture>(block) && !std::holds_alternative<PanelPicture>(block))
      close_figures();
    std::visit([this](const auto& one) { write_block(one); }, block);
  }

  /// Consecutive pictures are placed side by side where there is room.
  void close_figures() {
    if (in_figures_) body_ += "</div>\n";
    in_figures_ = false;
  }

  void write_block(const Heading& heading) {
    body_ += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", heading.level, heading.anchor,
                         xml_escaped(heading.text));
  }
  void write_block(const Paragraph& paragraph) {
    const std::string_view kind = paragraph.kind == Paragraph::Kind::warning ? " class=\"warning\""
                                  : paragraph.kind == Paragraph::Kind::quiet ? " class=\"quiet\""
                                                                             : "";
    body_ += fmt::format("<p{}>{}</p>\n", kind, xml_escaped(paragraph.text));
  }
  void write_block(const BulletList& list) {
    std::string items;
    for (const std::string& item : list.items)
      items += fmt::format("<li>{}</li>\n", xml_escaped(item));
    body_ += fmt::format("<div{}><ul>\n{}</ul></div>\n", list.warning ? " class=\"warning\"" : "",
                         items);
  }
  void write_block(const CodeBlock& code) {
    body_ += fmt::format("<pre><code>{}</code></pre>\n", xml_escaped(code.text));
  }
  void write_block(const Grid& grid) {
    interactive_ = interactive_ || grid.interactive;
    body_ += fmt::format("<div class=\"wide\"><table{}>\n<thead><tr>",
                         grid.interactive ? " class=\"interactive\"" : "");
    for (std::size_t i = 0; i < grid.header.size(); ++i)
      body_ += fmt::format(
          "<th scope=\"col\"{}{}>{}</th>", is_number_column(grid, i) ? " class=\"number\"" : "",
          i < grid.names.size() ? fmt::format(" title=\"{}\"", xml_escaped(grid.names[i])) : "",
          xml_escaped(grid.header[i]));
    body_ += "</tr></thead>\n<tbody>\n";
    for (const auto& row : grid.rows) {
      body_ += "<tr>";
      for (const GridCell& cell : row) write_cell(cell);
      body_ += "</tr>\n";
    }
    body_ += "</tbody>\n</table></div>\n";
  }
  void write_cell(const GridCell& cell) {
    const std::string_view name = class_of(cell.kind);
    std::string attributes = name.empty() ? "" : fmt::format(" class=\"{}\"", name);
    if (cell.kind == GridCell::Kind::number) {
      const std::string full = number_text(cell.value);
      attributes += fmt::format(" data-value=\"{}\"", full);
      if (full != cell.text) attributes += fmt::format(" title=\"{}\"", full);
    }
    std::string text = xml_escaped(cell.text);
    if (!cell.anchor.empty()) text = fmt::format("<a href=\"#{}\">{}</a>", cell.anchor, text);
    body_ += fmt::format("<td{}>{}</td>", attributes, text);
  }
  void write_block(const Picture& picture) {
    if (!picture.elsewhere.empty() && picture.elsewhere == left_out_) return;
    const std::string svg = svgs_.draw(picture.figure, picture.id);
    if (!picture.elsewhere.empty() && body_.size() + svg.size() > room_) {
      close_figures();
      left_out_ = picture.elsewhere;
      write_block(Paragraph{
          fmt::format("Figures from “{}” on are left out, as the page would be too large: {}",
                      plain_text(picture.figure.title), picture.elsewhere),
          Paragraph::Kind::quiet});
      return;
    }
    if (!in_figures_) body_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    body_ += fmt::format("<figure>{}</figure>\n", svg);
  }

  void write_block(const PanelPicture& picture) {
    if (!in_figures_) body_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    const bool wide = picture.panels.panels.size() > 1;
    body_ += fmt::format("<figure{}>{}</figure>\n", wide ? " class=\"panels\"" : "",
                         svgs_.draw(picture.panels, picture.id));
  }

  std::string body_{};
  ThemedSvgs svgs_;
  std::size_t room_;
  std::string left_out_{};  ///< what shows the pictures that were left out last
  bool interactive_{};
  bool in_figures_{};
};

}  // namespace

std::string html_of(const Document& document) { return HtmlWriter(document).write(document); }

}  // namespace orrery::reports
