#include "experiments/checkpoints/weight_index.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/checkpoints/pickle.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::size_t most_shards = 4096;
constexpr std::size_t longest_shard = 255;  // a file name of Linux

constexpr std::string_view index_remedy = "download the index again, or save the model again";

/// Receives the parser's events. No document is built, as that would drop keys that occur twice.
class IndexEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit IndexEvents(std::string_view name) : name_(name) {}

  WeightIndex take() {
    if (!map_seen_) fail("key 'weight_map' is missing");
    return std::move(index_);
  }

  bool null() override { return other_value(); }
  bool boolean(bool) override { return other_value(); }
  bool number_integer(number_integer_t) override { return other_value(); }
  bool number_unsigned(number_unsigned_t) override { return other_value(); }
  bool number_float(number_float_t, const string_t&) override { return other_value(); }
  bool binary(binary_t&) override { return other_value(); }

  bool string(string_t& text) override {
    if (!in_map()) return other_value();
    require_shard(text);
    shards_.insert(text);
    if (shards_.size() > most_shards) fail(fmt::format("more than {} shards", most_shards));
    index_.insert_or_assign(tensor_, std::move(text));
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ == 0 || wants_map()) {
      ++depth_;
      return true;
    }
    return nest();
  }
  bool end_object() override { return unnest(); }
  bool start_array(std::size_t) override { return nest(); }
  bool end_array() override { return unnest(); }

  bool key(string_t& text) override {
    if (depth_ == 1) begin_part(text);
    if (in_map()) begin_tensor(std::move(text));
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

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(name_, fmt::format("is not an index of weights ({})", what), index_remedy);
  }

 private:
  bool wants_map() const { return depth_ == 1 && part_is_map_; }
  bool in_map() const { return depth_ == 2 && part_is_map_; }

  void begin_part(const std::string& name) {
    part_is_map_ = name == "weight_map";
    if (part_is_map_ && std::exchange(map_seen_, true)) fail("key 'weight_map' occurs twice");
  }

  void begin_tensor(std::string name) {
    if (index_.contains(name)) fail(fmt::format("tensor {} occurs twice", in_quotes(name)));
    tensor_ = std::move(name);
    index_.emplace(tensor_, "");
  }

  bool other_value() {
    if (in_map()) fail(fmt::format("the shard of tensor {} is no text", in_quotes(tensor_)));
    if (depth_ == 0) fail("it is no JSON object");
    if (wants_map()) fail("'weight_map' is no object");
    return true;
  }

  bool nest() {
    other_value();
    ++depth_;
    return true;
  }
  bool unnest() {
    --depth_;
    return true;
  }

  [[noreturn]] void refuse_shard(std::string_view shard, std::string_view why,
                                 std::string_view remedy = index_remedy) const {
    throw DataError(
        name_, fmt::format("has tensor {} in {}, {}", in_quotes(tensor_), in_quotes(shard), why),
        remedy);
  }

  void require_shard(std::string_view shard) const {
    if (shard.empty() || shard.size() > longest_shard || shard.find('\0') != std::string_view::npos)
      refuse_shard(shard, "which is no name of a file");
    if (shard.front() == '/' || ("/" + std::string(shard) + "/").find("/../") != std::string::npos)
      refuse_shard(shard, "which may lie outside of the folder of the index");
    if (has_pickle_name(shard)) refuse_shard(shard, pickle_rule, pickle_remedy);
    if (!shard.ends_with(".safetensors")) refuse_shard(shard, "which is no .safetensors file");
  }

  std::string_view name_;
  std::size_t depth_{0};
  bool part_is_map_{false};  // the last key of the outermost object is weight_map
  bool map_seen_{false};
  std::string tensor_{};  // the last key of weight_map
  std::set<std::string, std::less<>> shards_{};
  WeightIndex index_{};
};

}  // namespace

WeightIndex parse_weight_index(std::string_view text, std::string_view name) {
  IndexEvents events(name);
  if (first_deep_place_in_json(text)) events.fail("it " + too_deep());
  // The parser takes a NUL for the end of the text and would ignore everything after it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    events.not_json(nul + 1);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.take();
}

}  // namespace orrery
