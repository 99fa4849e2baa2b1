#include "experiments/identify/tensor_report.h"

#include "experiments/figure/equation/plain_text.h"
#include "experiments/identify/defects.h"

namespace orrery {

void describe_defect(HypothesisReport& report) {
  if (report.defect.empty()) return;
  const RopeDefect& defect = find_rope_defect(report.defect);
  report.defect_description = plain_text(defect.description);
  report.defect_source = defect.source;
}

}  // namespace orrery
