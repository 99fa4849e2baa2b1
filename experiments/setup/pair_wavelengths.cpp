#include "experiments/setup/pair_wavelengths.h"

#include <utility>
#include <variant>

#include "experiments/setup/encoding_style.h"

namespace orrery {
namespace {

std::string table_name(const std::string& encoding) { return "pairs_" + encoding; }

}  // namespace

Table wavelength_table(const std::string& encoding, std::vector<double> wavelengths) {
  std::vector<double> pairs;
  for (std::size_t t = 0; t < wavelengths.size(); ++t) pairs.push_back(static_cast<double>(t));
  return {
      .name = table_name(encoding),
      .caption = encoding_label(encoding) + ": wavelength of each pair, $2π/θ_t$",
      .columns = {{"t", "", std::move(pairs)}, {"wavelength", "tokens", std::move(wavelengths)}}};
}

const std::vector<double>* pair_wavelengths(const Result& result, const std::string& encoding) {
  for (const Table& table : result.tables)
    if (table.name == table_name(encoding) && table.columns.size() == 2)
      return std::get_if<std::vector<double>>(&table.columns[1].values);
  return nullptr;
}

}  // namespace orrery
