#include "experiments/data/npy_dict.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

// More digits do not fit 64 bits, and more dimensions are refused later anyway.
constexpr std::size_t max_dimensions = 64;

class DictParser {
 public:
  DictParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  NpyDict parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (at_ != text_.size()) fail("expected nothing after the dictionary");
    return complete();
  }

 private:
  void entry() {
    const std::string_view key = string();
    expect(':');
    if (key == "descr")
      assign(descr_, descr(), key);
    else if (key == "fortran_order")
      assign(fortran_order_, boolean(), key);
    else if (key == "shape")
      assign(shape_, tuple(), key);
    else
      fail(fmt::format("key {} is not one of descr, fortran_order, shape", in_quotes(key)));
  }

  template <class Value>
  void assign(std::optional<Value>& slot, Value value, std::string_view key) {
    if (slot) fail(fmt::format("key {} occurs twice", in_quotes(key)));
    slot = std::move(value);
  }

  std::string descr() {
    if (peek() == '[')
      throw DataError(name_, "holds a structured array (records with named fields)",
                      "save one field: np.save(\"array.npy\", array[\"field\"])");
    return std::string(string());
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a quoted string");
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\\') ++at_;
    if (at_ >= text_.size()) fail("a string does not end");
    if (text_[at_] == '\\') fail("a string contains a backslash");
    return text_.substr(start, at_++ - start);
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("expected True or False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("expected ',' or ')'");
      if (numbers.size() == max_dimensions) fail("the shape has too many dimensions");
      numbers.push_back(number());
      comma = accept(',');
      if (!comma && numbers.size() == 1) fail("a shape of one dimension is written (n,)");
    }
    return numbers;
  }

  std::uint64_t number() {
    skip_space();
    std::uint64_t value{};
    const char* begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status == std::errc::result_out_of_range) fail("a dimension does not fit 64 bits");
    if (status != std::errc()) fail("expected a whole number that is not negative");
    if (*begin == '0' && end != begin + 1) fail("a number begins with 0");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  NpyDict complete() {
    if (!descr_) fail("key 'descr' is missing");
    if (!fortran_order_) fail("key 'fortran_order' is missing");
    if (!shape_) fail("key 'shape' is missing");
    return {std::move(*descr_), *fortran_order_, std::move(*shape_)};
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected '{}'", wanted));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(name_, fmt::format("has a malformed .npy header ({}, at offset {})", what, at_),
                    "save it again with numpy.save");
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_{0};
  std::optional<std::string> descr_{};
  std::optional<bool> fortran_order_{};
  std::optional<std::vector<std::uint64_t>> shape_{};
};

}  // namespace

NpyDict parse_npy_dict(std::string_view text, std::string_view name) {
  return DictParser(text, name).parse();
}

}  // namespace orrery
