#include "app/session/result_store.h"

#include <set>
#include <utility>
#include <variant>

namespace orrery {
namespace {

template <class T>
std::size_t size_in_bytes(const std::vector<T>& numbers) {
  return numbers.size() * sizeof(T);
}

/// Adds up what a result holds. An array that several figures share counts once.
class Weighing {
 public:
  std::size_t bytes() const { return bytes_; }

  void add(const std::shared_ptr<const Array>& array) {
    if (!array || !seen_.insert(array.get()).second) return;
    bytes_ += std::visit([](const auto& values) { return size_in_bytes(values); }, array->values);
  }
  void add(const Heatmap& map) {
    add(map.values);
    add(map.masked);
    for (const MapLine& line : map.lines) bytes_ += size_in_bytes(line.x) + size_in_bytes(line.y);
  }
  void add(const LinePlot& plot) {
    for (const Series& series : plot.series)
      bytes_ += size_in_bytes(series.x) + size_in_bytes(series.y) + size_in_bytes(series.band_low) +
                size_in_bytes(series.band_high);
  }
  void add(const MapEquation& equation) {
    for (const MapTerm& term : equation.terms) add(term.map);
    add(equation.profiles);
  }
  void add(const VectorPlot& plot) { bytes_ += size_in_bytes(plot.arrows); }
  void add(const TableFigure& table) {
    for (const std::vector<std::string>& row : table.rows) add(row);
  }
  void add(const std::vector<double>& numbers) { bytes_ += size_in_bytes(numbers); }
  void add(const std::vector<std::string>& words) {
    for (const std::string& word : words) bytes_ += sizeof word + word.capacity();
  }

 private:
  std::set<const Array*> seen_{};
  std::size_t bytes_{sizeof(Result)};
};

}  // namespace

std::size_t bytes_of(const Result& result) {
  Weighing all;
  for (const Figure& figure : result.figures)
    std::visit([&](const auto& content) { all.add(content); }, figure.content);
  for (const Table& table : result.tables)
    for (const Column& column : table.columns)
      std::visit([&](const auto& values) { all.add(values); }, column.values);
  for (const std::shared_ptr<const Array>& array : result.arrays) all.add(array);
  return all.bytes();
}

const ResultMemo::Entry* ResultMemo::find(const std::string& key,
                                          const std::shared_ptr<const Inputs>& inputs) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->entry.inputs != inputs) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return &found->second->entry;
}

void ResultMemo::keep(const std::string& key, Entry entry) {
  if (const auto found = by_key_.find(key); found != by_key_.end()) drop(found->second);
  const std::size_t bytes = bytes_of(*entry.result);
  if (bytes > max_bytes_) return;
  entries_.push_front({key, std::move(entry), bytes});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > max_bytes_) drop(std::prev(entries_.end()));
}

void ResultMemo::drop(std::list<Kept>::iterator kept) {
  bytes_ -= kept->bytes;
  by_key_.erase(kept->key);
  entries_.erase(kept);
}

}  // namespace orrery
