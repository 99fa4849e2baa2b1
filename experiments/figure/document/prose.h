#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/text/guarded.h"

namespace orrery {

/// A piece of a paragraph.
struct Span {
  enum class Kind { text, emphasis, code, formula, link };
  Kind kind{Kind::text};
  std::string text{};    ///< as read; of a formula its TeX
  std::string target{};  ///< of a link: "lesson:07-decay", "experiment:rotation", "encoding:rope",
                         ///< "preset:roformer_figure_2" or "card:table-2"
  friend bool operator==(const Span&, const Span&) = default;
};

/// The pieces of a paragraph. A string is one piece, whatever marks stand in it.
struct Spans : std::vector<Span> {
  using std::vector<Span>::vector;
  Spans(std::vector<Span> spans) : vector(std::move(spans)) {}
  Spans(std::string text) { push_back({Span::Kind::text, std::move(text), ""}); }
  Spans(const char* text) : Spans(std::string(text)) {}
};

/// A paragraph of a step, or an item of a list.
struct Prose {
  int line{};
  bool is_item{};
  Spans spans{};
};

/// The pieces of a paragraph: *emphasis*, `code`, $formula$ and [words](target). A mark that does
/// not end is text, except $: throws UsageError for a formula that does not end or cannot be read.
Spans spans_of(std::string_view paragraph);
/// The same with each formula read under the guard, as of that line; one that cannot be read stays
/// as text.
Spans spans_of(std::string_view paragraph, int line, const Guarded& guarded);

/// The words that a reader reads; a formula counts as one.
std::size_t word_count(const std::vector<Span>& spans);

/// The paragraph without its marks, formulas in Unicode.
std::string plain_prose(const std::vector<Span>& spans);

}  // namespace orrery
