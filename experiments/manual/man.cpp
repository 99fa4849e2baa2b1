#include "experiments/manual/man.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/manual/terminal.h"

namespace orrery::manual {
namespace {

using Kind = TopicBlock::Kind;

constexpr std::size_t table_width = 70;

std::string words_of(const Spans& spans) {
  std::string words;
  for (const lessons::Span& span : spans) {
    switch (span.kind) {
      case lessons::Span::Kind::code:
        words += "\\fB" + roff(span.text) + "\\fR";
        break;
      case lessons::Span::Kind::emphasis:
        words += "\\fI" + roff(span.text) + "\\fR";
        break;
      case lessons::Span::Kind::formula:
        words += roff(figure::formula_text(span.text));
        break;
      case lessons::Span::Kind::text:
      case lessons::Span::Kind::link:
        words += roff(span.text);
        break;
    }
  }
  return words;
}

/// Lines that are not filled.
std::string verbatim(const std::vector<std::string>& lines) {
  std::string text = ".PP\n.RS 2\n.nf\n";
  for (const std::string& line : lines) text += roff(line) + "\n";
  return text + ".fi\n.RE\n";
}

std::string man_block(const TopicBlock& block) {
  switch (block.kind) {
    case Kind::heading:
      return ".SH " + words_of(block.spans) + "\n";
    case Kind::paragraph:
      // The section SEE ALSO has these.
      if (block.spans.front().text.starts_with("See also:")) return "";
      return ".PP\n" + words_of(block.spans) + "\n";
    case Kind::item:
      return ".IP \\(bu 2\n" + words_of(block.spans) + "\n";
    case Kind::code:
      return verbatim(block.code);
    case Kind::table:
      return verbatim(table_lines(block.rows, table_width));
    case Kind::picture:
      return "";
  }
  return "";
}

/// "orrery(1), orrery-models(7)": the pages that this one links to.
std::string see_also(const Topic& topic) {
  std::vector<std::string> pages{"orrery(1)"};
  for (const TopicBlock& block : topic.blocks)
    for (const lessons::Span& span : block.spans) {
      if (!span.target.ends_with(".md")) continue;
      const std::string page =
          fmt::format("orrery-{}(7)", span.target.substr(0, span.target.size() - 3));
      if (std::find(pages.begin(), pages.end(), page) == pages.end()) pages.push_back(page);
    }
  return roff(fmt::format("{}", fmt::join(pages, ", ")));
}

}  // namespace

std::string roff(std::string_view words) {
  std::string out;
  for (const char c : words) {
    const bool is_control = (c == '.' || c == '\'') && out.empty();
    if (is_control) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string man_head(std::string_view name, int section, std::string_view about,
                     std::string_view version) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format(".TH {} {} \"\" \"orrery {}\"\n.SH NAME\n{} \\- {}\n", roff(upper), section,
                     version, roff(name), roff(about));
}

std::string man_blocks(std::span<const TopicBlock> blocks) {
  std::string text;
  for (const TopicBlock& block : blocks) text += man_block(block);
  return text;
}

std::string man_page(const Topic& topic, std::string_view version) {
  std::string about = topic.about;
  if (about.ends_with('.')) about.pop_back();
  std::string text = man_head("orrery-" + topic.name, 7, about, version) + ".SH DESCRIPTION\n" +
                     man_blocks(topic.blocks) + ".SH SEE ALSO\n" + see_also(topic) + "\n";
  // What is installed is on the PATH.
  for (std::size_t at = 0; (at = text.find("./orrery", at)) != std::string::npos;)
    text.erase(at, 2);
  return text;
}

}  // namespace orrery::manual
