#include "experiments/data/safetensors_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

// More dimensions are refused later anyway.
constexpr std::size_t max_dimensions = 64;

/// Receives the parser's events for the header. No document is built, as that would drop keys that
/// occur twice and could be nested without limit.
class HeaderEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(std::string_view name) : name_(name) {}

  SafetensorsInfos take() { return std::move(infos_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    unexpected("a number with a fraction, an exponent or more than 64 bits");
  }
  bool binary(binary_t&) override { unexpected("bytes"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ != Place::list) unexpected("a number");
    if (numbers_.size() == max_dimensions) fail(fmt::format("'{}' is too long", field_));
    numbers_.push_back(number);
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) return true;
    if (place_ != Place::tensor || field_ != "dtype") unexpected("a string");
    dtype_ = std::move(text);
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside)
      place_ = Place::top;
    else if (place_ == Place::top)
      place_ = tensor_ == safetensors_metadata ? Place::metadata : Place::tensor;
    else
      unexpected("an object");
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) finish_tensor();
    place_ = place_ == Place::top ? Place::outside : Place::top;
    within_ = false;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || field_ == "dtype") unexpected("a list");
    place_ = Place::list;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    (field_ == "shape" ? shape_ : offsets_) = std::move(numbers_);
    place_ = Place::tensor;
    return true;
  }

  bool key(string_t& text) override {
    if (place_ == Place::top)
      begin_tensor(std::move(text));
    else if (place_ == Place::tensor)
      begin_field(std::move(text));
    else if (!metadata_keys_.insert(text).second)
      twice(text);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    not_json(position);
  }

  /// @param position  counted from 1, as the parser counts
  [[noreturn]] void not_json(std::size_t position) const {
    fail(fmt::format("not JSON at byte {}", position));
  }

 private:
  enum class Place { outside, top, tensor, list, metadata };

  void begin_tensor(std::string name) {
    const bool metadata = name == safetensors_metadata;
    if (infos_.contains(name) || (metadata && metadata_seen_)) twice(name);
    metadata_seen_ = metadata_seen_ || metadata;
    tensor_ = std::move(name);
    within_ = true;
    dtype_.reset();
    shape_.reset();
    offsets_.reset();
  }

  void begin_field(std::string field) {
    const bool again = (field == "dtype" && dtype_) || (field == "shape" && shape_) ||
                       (field == "data_offsets" && offsets_);
    if (again) twice(field);
    if (field != "dtype" && field != "shape" && field != "data_offsets")
      fail(fmt::format("key {} is not one of dtype, shape, data_offsets", in_quotes(field)));
    field_ = std::move(field);
  }

  void finish_tensor() {
    if (!dtype_) fail("key 'dtype' is missing");
    if (!shape_) fail("key 'shape' is missing");
    if (!offsets_) fail("key 'data_offsets' is missing");
    if (offsets_->size() != 2) fail("'data_offsets' is not a pair [begin, end]");
    infos_.emplace(std::move(tensor_), SafetensorsInfo{.dtype = std::move(*dtype_),
                                                       .shape = std::move(*shape_),
                                                       .begin = offsets_->front(),
                                                       .end = offsets_->back()});
  }

  std::string expected() const {
    switch (place_) {
      case Place::outside:
      case Place::top:
        return "an object";
      case Place::metadata:
        return "a string";
      case Place::list:
        return fmt::format("whole numbers in '{}'", field_);
      case Place::tensor:
        break;
    }
    return fmt::format("{} for '{}'", field_ == "dtype" ? "a string" : "a list of numbers", field_);
  }

  [[noreturn]] void unexpected(std::string_view found) const {
    fail(fmt::format("expected {} and found {}", expected(), found));
  }

  [[noreturn]] void twice(std::string_view key) const {
    fail(fmt::format("key {} occurs twice", in_quotes(key)));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(name_,
                    fmt::format("has a malformed safetensors header ({}{})",
                                within_ ? in_quotes(tensor_) + ": " : "", what),
                    "save it again with safetensors");
  }

  std::string_view name_;
  Place place_{Place::outside};
  std::string tensor_{};  // the last key of the outermost object
  bool within_{false};    // its value is being read
  std::string field_{};
  std::optional<std::string> dtype_{};
  std::optional<std::vector<std::uint64_t>> shape_{};
  std::optional<std::vector<std::uint64_t>> offsets_{};
  std::vector<std::uint64_t> numbers_{};
  std::set<std::string, std::less<>> metadata_keys_{};
  bool metadata_seen_{false};
  SafetensorsInfos infos_{};
};

}  // namespace

SafetensorsInfos parse_safetensors_json(std::string_view text, std::string_view name) {
  HeaderEvents events(name);
  // The parser takes a NUL for the end of the text and would ignore everything after it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    events.not_json(nul + 1);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.take();
}

}  // namespace orrery
