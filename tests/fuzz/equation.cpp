// Reads marked text, and formulas in TeX, typesets and draws them.
#include <cmath>

#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/marked_text.h"
#include "tests/fuzz/support/checked_canvas.h"

using namespace orrery;

constexpr std::size_t most_symbols = 500;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view tex = fuzz::text_of(data, size);
  fuzz::require(plain_text(as_marked(tex)) == tex, "words of others are shown as they are");
  fuzz::require(!is_utf8(tex) || is_utf8(plain_text(tex)), "plain text is UTF-8");
  const auto equation = fuzz::accepted<UsageError>([&] { return parse_equation(tex); });
  if (!equation) return 0;
  fuzz::require(!is_utf8(tex) || is_utf8(formula_text(*equation)),
                "a formula as one line is UTF-8");
  static fuzz::CheckedCanvas canvas;
  const EquationBox box = lay_out(*equation, canvas, 13.0);
  for (const double length : {box.width, box.ascent, box.descent})
    fuzz::require(std::isfinite(length), "a formula has a finite size");
  std::size_t seen = 0;
  for (const EquationBox::Region& region : box.regions) {
    if (++seen > most_symbols) break;  // each is looked for among all
    const Point middle{region.box.x + region.box.width / 2, region.box.y + region.box.height / 2};
    fuzz::require(!region.name.empty(), "a symbol to point at has a name");
    fuzz::require(
        region.box.width <= 0 || region.box.height <= 0 || !symbol_at(box, middle).empty(),
        "the middle of a symbol is in a symbol");
  }
  draw_equation(canvas, box, {0, box.ascent}, {0, 0, 0, 255});
  canvas.end_drawing();
  return 0;
}
