#include "app/gui/fonts.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "app/gui/font_file.h"
#include "experiments/text/bidi.h"

namespace orrery::gui {
namespace {

// (ascender + descender) / em in DejaVu Sans; Dear ImGui sizes a font by the former.
constexpr double line_height_per_em = (1901.0 + 483.0) / 2048.0;

constexpr double small_size = 11.0;
constexpr double figure_size = 13.0;
constexpr double title_size = 16.0;
constexpr double heading_size = 20.0;

constexpr ImWchar glyph_ranges[] = {
    0x0020, 0x00FF,  // Latin
    0x0100, 0x024F,  // Latin Extended
    0x0259, 0x0259,  // schwa
    0x02B0, 0x02FF,  // modifier letters
    0x0300, 0x036F,  // combining marks
    0x0370, 0x03FF,  // Greek
    0x1D00, 0x1DBF,  // small capitals, sub- and superscript letters
    0x2000, 0x22FF,  // punctuation, sub- and superscripts, letterlike, arrows, operators
    0x2300, 0x23FF,  // brackets, keys
    0x2420, 0x2426,  // pictures of controls: ␣ ␤
    0x25A0, 0x25FF,  // geometric shapes
    0x2630, 0x2630,  // ☰
    0x2713, 0x2718,  // ticks and crosses
    0x27C0, 0x27EF,  // more operators and brackets
    0x2C60, 0x2C7F,  // ⱼ
    0xFFFD, 0xFFFD,  // replacement
    0};

struct PatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, PatternDeleter>;

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

ImFont* add(const std::string& bytes, double em, const std::vector<Loan>& loans) {
  ImFontConfig config;
  config.OversampleH = 2;  // 3 doubles the atlas for no visible gain at these sizes
  config.PixelSnapH = false;
  config.FontDataOwnedByAtlas = false;
  const double height = std::round(Fonts::line_height(em));
  ImFont* font = ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
      const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()), static_cast<float>(height),
      &config, glyph_ranges);
  for (const Loan& loan : loans) merge(loan, static_cast<float>(height));
  return font;
}

std::vector<char32_t> own_characters() {
  std::vector<char32_t> characters;
  for (const ImWchar* range = glyph_ranges; *range != 0; range += 2)
    for (char32_t c = range[0]; c <= range[1]; ++c) characters.push_back(c);
  return characters;
}

/// DejaVu Sans, read once: whatever happens to the file afterwards, letters stay.
const std::string& dejavu_bytes(bool bold) {
  static std::array<std::shared_ptr<const std::string>, 2> fonts;
  std::shared_ptr<const std::string>& font = fonts[bold ? 1 : 0];
  if (!font) font = read_font(dejavu_file(bold), 0, own_characters());
  return *font;
}

}  // namespace

double Fonts::line_height(double em) { return em * line_height_per_em; }

std::string dejavu_file(bool bold) {
  const Pattern wanted(FcPatternBuild(nullptr, FC_FAMILY, FcTypeString, "DejaVu Sans", FC_WEIGHT,
                                      FcTypeInteger, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR,
                                      FC_SLANT, FcTypeInteger, FC_SLANT_ROMAN, FC_WIDTH,
                                      FcTypeInteger, FC_WIDTH_NORMAL, nullptr));
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult outcome = FcResultNoMatch;
  const Pattern found(FcFontMatch(nullptr, wanted.get(), &outcome));
  FcChar8* family = nullptr;
  FcChar8* file = nullptr;
  const bool readable = found &&
                        FcPatternGetString(found.get(), FC_FAMILY, 0, &family) == FcResultMatch &&
                        FcPatternGetString(found.get(), FC_FILE, 0, &file) == FcResultMatch;
  // fontconfig answers with the nearest family when the one asked for is missing.
  if (!readable || std::string(reinterpret_cast<const char*>(family)) != "DejaVu Sans")
    throw std::runtime_error(
        "DejaVu Sans: the font of the desktop is not installed; apt install fonts-dejavu-core");
  return reinterpret_cast<const char*>(file);
}

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
    ImFont* font = add(regular, em * fine, loans);
    fonts.regular_.push_back({em * fine, font});
    return font;
  };
  fonts.body_ = add_regular(figure_size);
  fonts.small_ = add_regular(small_size);
  add_regular(title_size);
  for (const double em : {figure_size, title_size, heading_size})
    fonts.bold_.push_back({em * fine, add(bold, em * fine, loans)});
  fonts.title_ = fonts.bold_.back().font;
  ImGui::GetIO().FontDefault = fonts.body_;
  ImGui::GetIO().Fonts->Build();
  return fonts;
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

Fonts::Sized Fonts::nearest(double em, bool bold) const {
  const std::vector<Sized>& sizes = bold ? bold_ : regular_;
  Sized best = sizes.front();
  for (const Sized& sized : sizes)
    if (std::abs(sized.em - em) < std::abs(best.em - em)) best = sized;
  return best;
}

}  // namespace orrery::gui
