#include "core/encodings/settings.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "core/random.h"

namespace orrery {

template <class T>
Matrix<T> table_of(const EncodingSettings& settings, const std::string& name, Index rows,
                   Index columns, double deviation) {
  if (settings.tables) {
    const auto given = settings.tables->find(name);
    if (given != settings.tables->end()) {
      const Matrix<double>& table = given->second;
      if (table.rows() == rows && table.cols() == columns) return table.cast<T>();
      throw UsageError(fmt::format("{} of shape [{}, {}]", name, table.rows(), table.cols()),
                       fmt::format("must be [{}, {}] for these parameters", rows, columns),
                       "change the parameters or save the table in that shape");
    }
  }
  Random random(settings.seed, "table " + name);
  return normal_matrix<T>(random, rows, columns, deviation);
}

template Matrix<float> table_of(const EncodingSettings&, const std::string&, Index, Index, double);
template Matrix<double> table_of(const EncodingSettings&, const std::string&, Index, Index, double);

ParamSpec base_param() {
  return {.key = "base",
          .symbol = "base",
          .description = "Base of the geometric frequencies theta_t = base^(-2t/d).",
          .kind = ParamKind::real,
          .default_value = 10000.0,
          .min = 1.001,
          .max = 1e12,
          .logarithmic = true};
}

}  // namespace orrery
