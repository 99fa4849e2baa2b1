#include "experiments/model/result.h"

#include <cmath>

namespace orrery {

bool Check::holds() const {
  if (relation == Relation::at_most) return measured <= bound;
  if (relation == Relation::at_least) return measured >= bound;
  return measured == bound || std::abs(measured - bound) <= tolerance;
}

double Check::excess() const {
  if (relation == Relation::at_most) return measured - bound;
  if (relation == Relation::at_least) return bound - measured;
  return std::abs(measured - bound) - tolerance;
}

}  // namespace orrery
