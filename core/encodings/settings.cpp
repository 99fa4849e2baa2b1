#include "core/encodings/settings.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "core/param_specs.h"
#include "core/random.h"

namespace orrery {

namespace {

/// Null when the user gave no such table.
const Matrix<double>* given_table(const EncodingSettings& settings, const std::string& name) {
  if (!settings.tables) return nullptr;
  const auto given = settings.tables->find(name);
  return given == settings.tables->end() ? nullptr : &given->second;
}

const Matrix<double>* given_table(const EncodingSettings& settings, const std::string& name,
                                  Index rows, Index columns) {
  const Matrix<double>* table = given_table(settings, name);
  if (!table || (table->rows() == rows && table->cols() == columns)) return table;
  throw UsageError(fmt::format("{} of shape [{}, {}]", name, table->rows(), table->cols()),
                   fmt::format("must be [{}, {}] for these parameters", rows, columns),
                   "change the parameters or save the table in that shape");
}

/// The table, noted in EncodingSettings::made.
template <class T>
Matrix<T> noted(const EncodingSettings& settings, const std::string& name, Matrix<T> table) {
  if (settings.made) (*settings.made)[name] = table.template cast<double>();
  return table;
}

}  // namespace

template <class T>
Matrix<T> table_of(const EncodingSettings& settings, const std::string& name, Index rows,
                   Index columns, double deviation) {
  if (const Matrix<double>* table = given_table(settings, name, rows, columns))
    return noted<T>(settings, name, table->cast<T>());
  Random random(settings.seed, "table " + name);
  return noted(settings, name, normal_matrix<T>(random, rows, columns, deviation));
}

template <class T>
Matrix<T> table_or(const EncodingSettings& settings, const std::string& name, Index rows,
                   Index columns, double value) {
  if (const Matrix<double>* table = given_table(settings, name, rows, columns))
    return noted<T>(settings, name, table->cast<T>());
  return noted<T>(settings, name, Matrix<T>::Constant(rows, columns, static_cast<T>(value)));
}

Matrix<double>& gradient_of(Tables& d_tables, const std::string& name, Index rows, Index columns) {
  Matrix<double>& gradient = d_tables[name];
  if (gradient.size() == 0) gradient = Matrix<double>::Zero(rows, columns);
  return gradient;
}

void check_table_size(std::string_view name, Index rows, Index columns, std::string_view remedy) {
  const double numbers = static_cast<double>(rows) * static_cast<double>(columns);
  if (numbers <= most_table_numbers) return;
  throw UsageError(
      fmt::format("{} of shape [{}, {}]", name, rows, columns),
      fmt::format("has {:.3g} numbers, and the most is {:.3g}", numbers, most_table_numbers),
      fmt::format("lower {}", remedy));
}

void refuse_table(const EncodingSettings& settings, const std::string& name,
                  std::string_view reader) {
  if (!given_table(settings, name)) return;
  throw UsageError(fmt::format("table {}", name), fmt::format("is read with {} only", reader),
                   fmt::format("set {} or drop the table", reader));
}

template Matrix<float> table_or(const EncodingSettings&, const std::string&, Index, Index, double);
template Matrix<double> table_or(const EncodingSettings&, const std::string&, Index, Index, double);
template Matrix<float> table_of(const EncodingSettings&, const std::string&, Index, Index, double);
template Matrix<double> table_of(const EncodingSettings&, const std::string&, Index, Index, double);

ParamSpec base_param() {
  return log_real_param("base", "Base of the geometric frequencies $θ_t = \\mathrm{base}^{−2t/d}$.",
                        10000.0, 1.001, 1e12);
}

}  // namespace orrery
