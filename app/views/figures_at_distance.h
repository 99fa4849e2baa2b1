#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/session/session.h"
#include "app/views/figures.h"

namespace orrery {

/// The current result at the distance pointed at, where the experiment has a parameter for it: it
/// is asked for, and the newest that is there returned. Null where nothing is pointed at.
std::shared_ptr<const Result> result_at_distance(Session& session);

/// Its figures that turn with the distance, by id: arrows, and curves over anything but the
/// distance. Their titles name the distance; captions, which name settings that played no part,
/// are left out.
std::map<std::string, FigurePtr> figures_at_distance(const std::shared_ptr<const Result>& turned);

}  // namespace orrery
