#include "app/gui/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "experiments/figure/canvas/symbol_font.h"
#include "experiments/files/file.h"
#include "experiments/text/bidi.h"

namespace orrery {
namespace {

// (ascender + descender) / em in DejaVu Sans; Dear ImGui sizes a font by the former.
constexpr double line_height_per_em = (1901.0 + 483.0) / 2048.0;

constexpr double small_size = 11.0;
constexpr double figure_size = 13.0;
constexpr double title_size = 16.0;
constexpr double heading_size = 20.0;
// Em of symbols: those beside the sizes above, of their scripts and of the scripts of these.
constexpr std::array symbol_sizes{9.2, 11.4, 15.8, 19.4};
constexpr double least_full_size = 15.0;  ///< below are scripts
constexpr double may_be_enlarged = 1.06;  ///< else symbols are drawn from a larger size

// What is likely; Fonts::note_lacking sees to the rest.
constexpr ImWchar glyph_ranges[] = {
    0x0020, 0x00FF,  // Latin
    0x0100, 0x017F,  // Latin Extended-A
    0x0259, 0x0259,  // schwa
    0x02B0, 0x02FF,  // modifier letters
    0x0300, 0x036F,  // combining marks
    0x0370, 0x03FF,  // Greek
    0x1D2C, 0x1D6A,  // sub- and superscript letters
    0x2000, 0x22FF,  // punctuation, sub- and superscripts, letterlike, arrows, operators
    0x2300, 0x232B,  // brackets, keys
    0x2420, 0x2426,  // pictures of controls: ␣ ␤
    0x25A0, 0x25FF,  // geometric shapes
    0x2630, 0x2630,  // ☰
    0x2713, 0x2718,  // ticks and crosses
    0x27C0, 0x27EF,  // more operators and brackets
    0x2C60, 0x2C7F,  // ⱼ
    0xFFFD, 0xFFFD,  // replacement
    0};

// Letters of symbols. Few, since outlines of this kind take long to fill.
constexpr ImWchar italic_ranges[] = {0x0041, 0x005A, 0x0061, 0x007A,                  // Latin
                                     0x03B1, 0x03C9, 0x03D1, 0x03D1, 0x03D5, 0x03D5,  // Greek
                                     0};
constexpr ImWchar roman_ranges[] = {
    0x0020, 0x007E,                                                  // ASCII
    0x00B1, 0x00B1, 0x00B7, 0x00B7, 0x00D7, 0x00D7, 0x00BC, 0x00BD,  // ± · × ¼ ½
    0x0391, 0x03A9,                                                  // Greek capitals
    0x2016, 0x2016, 0x2026, 0x2026, 0x2032, 0x2032, 0x2113, 0x2113,  // ‖ … ′ ℓ
    0x2190, 0x2194, 0x2202, 0x2202, 0x2208, 0x2208, 0x220F, 0x2212,  // arrows ∂ ∈ ∏ ∑ −
    0x2217, 0x2218, 0x221D, 0x221E, 0x222B, 0x222B, 0x223C, 0x223C,  // ∗ ∘ ∝ ∞ ∫ ∼
    0x2248, 0x2248, 0x2260, 0x2265, 0x226A, 0x226B, 0x2295, 0x2299,  // ≈ ≠ ≤ ≥ ≪ ≫ ⊕ ⊙
    0x22A4, 0x22A4, 0x22BA, 0x22BA, 0x22EE, 0x22F1, 0x230A, 0x230B,  // ⊤ ⊺ ⋯ ⌊ ⌋
    0x27E8, 0x27E9,                                                  // ⟨ ⟩
    0};
// Of scripts; what is missing there is drawn from a larger size.
constexpr ImWchar script_ranges[] = {0x0028, 0x003E, 0x0061, 0x007D, 0x00B7, 0x00B7, 0x2032,
                                     0x2032, 0x2212, 0x2212, 0x22A4, 0x22A4, 0};
constexpr ImWchar bold_ranges[] = {0x0041, 0x005A, 0x0061, 0x007A, 0};
/// The part of a fallback font to load, in memory.
struct Loan {
  std::shared_ptr<const std::string> bytes{};
  int index{};
  std::vector<ImWchar> ranges{};
};

std::vector<Loan> loans_of(const GlyphPlan& plan) {
  std::vector<Loan> loans;
  for (const GlyphPlan::Part& part : plan.parts) {
    Loan loan{.bytes = part.bytes, .index = part.index};
    for (const char32_t c : part.characters)
      loan.ranges.insert(loan.ranges.end(), 2, static_cast<ImWchar>(c));
    loan.ranges.push_back(0);
    loans.push_back(std::move(loan));
  }
  return loans;
}

/// Merges glyphs into the font that was added last.
void merge(const Loan& loan, float height) {
  ImFontConfig config;
  config.MergeMode = true;
  config.FontNo = loan.index;
  config.OversampleH = 1;
  config.FontDataOwnedByAtlas = false;
  // Dear ImGui only reads from it.
  ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(loan.bytes->data()),
                                             static_cast<int>(loan.bytes->size()), height, &config,
                                             loan.ranges.data());
}

/// `line_height` pixels from ascender to descender: what Dear ImGui calls the size.
ImFont* add(const std::string& bytes, double line_height, const ImWchar* ranges) {
  ImFontConfig config;
  config.OversampleH = 2;  // 3 doubles the atlas for no visible gain at these sizes
  config.PixelSnapH = false;
  config.FontDataOwnedByAtlas = false;
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
      const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()),
      static_cast<float>(line_height), &config, ranges);
}

ImFont* add_text(const std::string& bytes, double em, const std::vector<Loan>& loans) {
  const double height = std::round(Fonts::line_height(em));
  ImFont* font = add(bytes, height, glyph_ranges);
  for (const Loan& loan : loans) merge(loan, static_cast<float>(height));
  return font;
}

std::vector<char32_t> characters_in(const ImWchar* ranges) {
  std::vector<char32_t> characters;
  for (const ImWchar* range = ranges; *range != 0; range += 2)
    for (char32_t c = range[0]; c <= range[1]; ++c) characters.push_back(c);
  return characters;
}

/// DejaVu Sans, read once: whatever happens to the file afterwards, letters stay.
const std::string& dejavu_bytes(bool bold) {
  static std::array<std::shared_ptr<const std::string>, 2> fonts;
  std::shared_ptr<const std::string>& font = fonts[bold ? 1 : 0];
  if (!font) font = read_font(dejavu_file(bold), 0, characters_in(glyph_ranges));
  return *font;
}

struct SymbolBytes {
  bool tried{false};
  std::shared_ptr<const std::string> bytes{};
  double line_per_em{};
};

SymbolBytes read_symbols(const SymbolFont& font, const std::vector<char32_t>& characters) {
  SymbolBytes symbols{.tried = true};
  try {
    symbols.bytes = read_font(font.file, font.index, characters);
    symbols.line_per_em = font_line_per_em(*symbols.bytes, font.index);
  } catch (const Error&) {
    symbols.bytes.reset();
  }
  return symbols;
}

/// A font of symbols, read once; null where it is missing or damaged.
const SymbolBytes* symbol_bytes(Face face, bool bold, const ImWchar* ranges) {
  static std::map<const SymbolFont*, SymbolBytes> fonts;
  const SymbolFont* font = symbol_font(face, bold);
  if (!font) return nullptr;
  SymbolBytes& known = fonts[font];
  if (!known.tried) known = read_symbols(*font, characters_in(ranges));
  return known.bytes ? &known : nullptr;
}

}  // namespace

double Fonts::line_height(double em) { return em * line_height_per_em; }

Fonts Fonts::load(double scale, const GlyphPlan& foreign) {
  const std::vector<Loan> loans = loans_of(foreign);
  const std::string& regular = dejavu_bytes(false);
  const std::string& bold = dejavu_bytes(true);
  ImGui::GetIO().Fonts->Clear();
  const double fine = std::min(scale, max_glyph_scale);
  ImGui::GetIO().FontGlobalScale = static_cast<float>(scale / fine);
  Fonts fonts;
  for (const Loan& loan : loans) fonts.files_.push_back(loan.bytes);
  const auto add_regular = [&](double em) {
    ImFont* font = add_text(regular, em * fine, loans);
    fonts.regular_.push_back({em * fine, std::round(line_height(em * fine)), font});
    return font;
  };
  fonts.body_ = add_regular(figure_size);
  fonts.small_ = add_regular(small_size);
  add_regular(title_size);
  for (const double em : {figure_size, title_size, heading_size})
    fonts.bold_.push_back(
        {em * fine, std::round(line_height(em * fine)), add_text(bold, em * fine, loans)});
  fonts.title_ = fonts.bold_.back().font;
  fonts.load_symbols(fine);
  ImGui::GetIO().FontDefault = fonts.body_;
  ImGui::GetIO().Fonts->Build();
  return fonts;
}

void Fonts::load_symbols(double scale) {
  const SymbolBytes* roman = symbol_bytes(Face::roman, false, roman_ranges);
  const SymbolBytes* italic = symbol_bytes(Face::italic, false, italic_ranges);
  const SymbolBytes* bold = symbol_bytes(Face::roman, true, bold_ranges);
  if (!roman || !italic || !bold) return;
  const auto load = [&](std::vector<Sized>& fonts, const SymbolBytes& symbols, double em,
                        const ImWchar* ranges) {
    const double line = symbols.line_per_em * em * scale;
    fonts.push_back({em * scale, line, add(*symbols.bytes, line, ranges)});
  };
  for (const double em : symbol_sizes) {
    const bool full = em >= least_full_size;
    load(roman_, *roman, em, full ? roman_ranges : script_ranges);
    load(italic_, *italic, em, italic_ranges);
    if (full) load(bold_roman_, *bold, em, bold_ranges);
  }
}

void Fonts::note_lacking(std::string_view utf8) const {
  const bool ascii = std::all_of(utf8.begin(), utf8.end(),
                                 [](char c) { return static_cast<signed char>(c) >= 0; });
  if (ascii) return;
  Characters characters;
  add_characters(in_visual_order(utf8), characters);
  for (const char32_t c : characters)
    if (!body_->FindGlyphNoFallback(static_cast<ImWchar>(c))) lacking_->insert(c);
}

const std::vector<Fonts::Sized>& Fonts::sizes(bool bold, Face face) const {
  if (face == Face::sans || roman_.empty()) return bold ? bold_ : regular_;
  if (face == Face::italic) return italic_;
  return bold ? bold_roman_ : roman_;
}

Fonts::Sized Fonts::nearest(double em, bool bold, Face face) const {
  const std::vector<Sized>& sized = sizes(bold, face);
  if (face != Face::sans && !roman_.empty()) {
    const auto large_enough = std::find_if(sized.begin(), sized.end(), [&](const Sized& one) {
      return one.em * may_be_enlarged >= em;
    });
    return large_enough == sized.end() ? sized.back() : *large_enough;
  }
  return *std::min_element(sized.begin(), sized.end(), [&](const Sized& a, const Sized& b) {
    return std::abs(a.em - em) < std::abs(b.em - em);
  });
}

}  // namespace orrery
