#include "app/views/family_figures.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/combine/family.h"

namespace orrery::views {

std::shared_ptr<const FamilyFigures::Made> FamilyFigures::make(const Result& result,
                                                               const LiveSweep& sweep) {
  auto made = std::make_shared<Made>();
  made->result.provenance = result.provenance;
  for (const Figure& figure : result.figures) {
    std::vector<Figure> members = combine::family(sweep.results(), figure.id, sweep.key());
    if (members.size() == 1) {
      made->in_place.insert(figure.id);
      made->result.figures.push_back(std::move(members.front()));
      continue;
    }
    if (members.size() > 1) made->panels[figure.id] = std::move(members);
    made->result.figures.push_back(figure);
  }
  return made;
}

bool FamilyFigures::update(Session& session) {
  in_panels_ = false;
  const LiveSweep* sweep = session.swept();
  const std::shared_ptr<const Result>& result = session.current().result;
  if (!sweep || !result || sweep->results().size() < 2) return false;
  if (!made_ || source_ != result || points_ != sweep->results()) {
    source_ = result;
    points_ = sweep->results();
    made_ = make(*result, *sweep);
  }
  return !made_->in_place.empty() || !made_->panels.empty();
}

void FamilyFigures::tell(Session& session) {
  if (!session.swept() || !session.swept()->is_complete()) {
    told_ = false;
    return;
  }
  if (!made_ || std::exchange(told_, true)) return;
  const std::string& key = session.swept()->key();
  if (made_->in_place.empty() && made_->panels.empty())
    session.note(fmt::format("No curve or map of this view depends on {}", key));
  else if (made_->in_place.empty() && !in_panels_)
    session.note(fmt::format(
        "Maps cannot be laid over one another: press 1 for a map per value of {}", key));
}

void FamilyFigures::forget() {
  source_.reset();
  points_.clear();
  made_.reset();
}

std::shared_ptr<const Result> FamilyFigures::result() const {
  return made_ ? std::shared_ptr<const Result>(made_, &made_->result) : nullptr;
}

std::vector<const Figure*> FamilyFigures::panels(const std::string& id) {
  std::vector<const Figure*> figures;
  if (!made_) return figures;
  const auto found = made_->panels.find(id);
  if (found == made_->panels.end()) return figures;
  in_panels_ = true;
  for (const Figure& figure : found->second) figures.push_back(&figure);
  return figures;
}

}  // namespace orrery::views
