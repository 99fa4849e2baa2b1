#include "experiments/text/model_names.h"

namespace orrery {

const EnumNames<Relation>& relation_names() {
  static const EnumNames<Relation> names{{Relation::at_most, "at_most"},
                                         {Relation::at_least, "at_least"},
                                         {Relation::equals, "equals"}};
  return names;
}

const EnumNames<AxisScale>& axis_scale_names() {
  static const EnumNames<AxisScale> names{{AxisScale::linear, "linear"},
                                          {AxisScale::log2, "log2"},
                                          {AxisScale::log10, "log10"},
                                          {AxisScale::symlog, "symlog"}};
  return names;
}

const EnumNames<ViewLayout>& layout_names() {
  static const EnumNames<ViewLayout> names{{ViewLayout::single, "single"},
                                           {ViewLayout::side_by_side, "side_by_side"},
                                           {ViewLayout::small_multiples, "small_multiples"}};
  return names;
}

const EnumNames<Status>& status_names() {
  static const EnumNames<Status> names{{Status::completed, "completed"},
                                       {Status::stopped, "stopped"}};
  return names;
}

}  // namespace orrery
