#include "experiments/figure/svg_ids.h"

#include <algorithm>
#include <map>

namespace orrery {
namespace {

/// Gives the ids of one SVG file numbers that depend on nothing but the file.
class IdRenumbering {
 public:
  std::string apply(const std::string& svg) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at = next_id(svg, 0); at != std::string::npos; at = next_id(svg, from)) {
      const std::size_t digits = std::min(svg.find_first_of("0123456789\")", at), svg.size());
      const std::size_t end = std::min(svg.find_first_not_of("0123456789", digits), svg.size());
      out.append(svg, from, digits - from);
      if (end > digits)
        out += renumbered(svg.substr(at, digits - at), svg.substr(digits, end - digits));
      from = end;
    }
    return out.append(svg, from);
  }

 private:
  /// Where the next name after id=" or # starts; base64 has neither.
  static std::size_t next_id(const std::string& svg, std::size_t from) {
    const std::size_t definition = svg.find(" id=\"", from), use = svg.find('#', from);
    const std::size_t end = std::string::npos;
    const std::size_t defined = definition == end ? end : definition + 5;
    return std::min(defined, use == end ? end : use + 1);
  }

  std::string renumbered(const std::string& word, const std::string& number) {
    auto& numbers = seen_[word];
    return std::to_string(numbers.try_emplace(number, numbers.size()).first->second);
  }

  std::map<std::string, std::map<std::string, std::size_t>> seen_;
};

}  // namespace

std::string renumbered_ids(const std::string& svg) { return IdRenumbering().apply(svg); }

}  // namespace orrery
