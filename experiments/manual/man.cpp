#include "experiments/manual/man.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/manual/terminal.h"

namespace orrery {
namespace {

constexpr std::size_t table_width = 70;

std::string words_of(const Spans& spans) {
  std::string words;
  for (const Span& span : spans) {
    switch (span.kind) {
      case Span::Kind::code:
        words += "\\fB" + roff(span.text) + "\\fR";
        break;
      case Span::Kind::emphasis:
        words += "\\fI" + roff(span.text) + "\\fR";
        break;
      case Span::Kind::formula:
        words += roff(formula_text(span.text));
        break;
      case Span::Kind::text:
      case Span::Kind::link:
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

struct ManWriter {
  std::string operator()(const Heading& heading) const {
    return ".SH " + words_of(heading.text) + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    // The section SEE ALSO has these.
    if (paragraph.text.front().text.starts_with("See also:")) return "";
    return ".PP\n" + words_of(paragraph.text) + "\n";
  }
  std::string operator()(const BulletList& list) const {
    std::string text;
    for (const Spans& item : list.items) text += ".IP \\(bu 2\n" + words_of(item) + "\n";
    return text;
  }
  std::string operator()(const CodeBlock& code) const { return verbatim(lines_of(code)); }
  std::string operator()(const Grid& grid) const {
    return verbatim(table_lines(grid, table_width));
  }
  /// Pictures are for the desktop, and no page of the manual has others.
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

/// "orrery(1), orrery-models(7)": the pages that this one links to.
std::string see_also(const Topic& topic) {
  std::vector<std::string> pages{"orrery(1)"};
  const auto add = [&](const Spans& spans) {
    for (const Span& span : spans) {
      if (!span.target.ends_with(".md")) continue;
      const std::string page =
          fmt::format("orrery-{}(7)", span.target.substr(0, span.target.size() - 3));
      if (std::find(pages.begin(), pages.end(), page) == pages.end()) pages.push_back(page);
    }
  };
  for (const Block& block : topic.blocks) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) add(paragraph->text);
    if (const auto* list = std::get_if<BulletList>(&block))
      for (const Spans& item : list->items) add(item);
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

std::string man_blocks(std::span<const Block> blocks) {
  std::string text;
  for (const Block& block : blocks) text += std::visit(ManWriter{}, block);
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

}  // namespace orrery
