#include "experiments/statistics/student.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace orrery {
namespace {

using boost::math::complement;
// Without long double, which takes as long again to compile.
using Students = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

}  // namespace

double student_two_sided(double t, double degrees) {
  return 2.0 * boost::math::cdf(complement(Students(degrees), std::abs(t)));
}

double student_quantile(double p, double degrees) {
  return boost::math::quantile(complement(Students(degrees), 0.5 * p));
}

}  // namespace orrery
