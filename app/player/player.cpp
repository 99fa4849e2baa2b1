#include "app/player/player.h"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Whether answers to the one are answers to the other.
bool same_question(const LessonStep& a, const LessonStep& b) {
  if (a.title != b.title || a.prediction.has_value() != b.prediction.has_value()) return false;
  return !a.prediction || (a.prediction->ask == b.prediction->ask &&
                           a.prediction->kind.index() == b.prediction->kind.index() &&
                           option_count(*a.prediction) == option_count(*b.prediction));
}

template <class Items, class Item>
void toggle(Items& items, const Item& item) {
  const auto found = std::find(items.begin(), items.end(), item);
  if (found == items.end())
    items.push_back(item);
  else
    items.erase(found);
}

}  // namespace

std::size_t option_count(const Prediction& prediction) {
  if (const auto* choose = std::get_if<Prediction::Choose>(&prediction.kind))
    return choose->options.size();
  if (const auto* order = std::get_if<Prediction::Order>(&prediction.kind))
    return order->items.size();
  return 0;
}

void Player::open(ParsedLesson parsed, std::filesystem::path file, std::size_t step) {
  parsed_ = std::move(parsed);
  file_ = std::move(file);
  work_.assign(size(), {});
  at_ = size() == 0 ? 0 : std::min(step, size() - 1);
  open_ = true;
  explores_ = false;
}

void Player::reload(ParsedLesson parsed) {
  const Lesson before = std::exchange(parsed_, std::move(parsed)).lesson;
  const std::vector<Player::Work> work = std::exchange(work_, {});
  work_.assign(size(), {});
  keep_answers_of(before, work);
  at_ = size() == 0 ? 0 : std::min(at_, size() - 1);
}

void Player::keep_answers_of(const Lesson& before, const std::vector<Player::Work>& work) {
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t old = 0; old < before.steps.size(); ++old)
      if (same_question(parsed_.lesson.steps[i], before.steps[old])) work_[i] = work[old];
}

void Player::close() {
  open_ = false;
  explores_ = false;
}

bool Player::go_to(std::size_t step) {
  explores_ = false;
  if (step >= size() || step == at_) return false;
  at_ = step;
  return true;
}

Player::Moved Player::next() {
  if (size() == 0) return Moved::nowhere;
  if (hides()) {
    reveal();
    return Moved::revealed;
  }
  return go_to(at_ + 1) ? Moved::on : Moved::nowhere;
}

bool Player::back() { return at_ > 0 && go_to(at_ - 1); }

bool Player::hides() const {
  return size() > 0 && !work().revealed && (step().prediction || !step().veils.empty());
}

void Player::raise(std::size_t option, int by) {
  if (!step().prediction || option >= option_count(*step().prediction)) return;
  std::vector<std::size_t>& tally = work().tally;
  tally.resize(option_count(*step().prediction));
  if (by > 0) ++tally[option];
  if (by < 0 && tally[option] > 0) --tally[option];
}

void Player::toggle_option(std::size_t option) {
  if (!step().prediction || option >= option_count(*step().prediction)) return;
  std::vector<bool>& options = work().answer.options;
  options.resize(option_count(*step().prediction));
  options[option] = !options[option];
  work().answered = std::find(options.begin(), options.end(), true) != options.end();
}

void Player::toggle_item(std::size_t item) {
  if (!step().prediction || item >= option_count(*step().prediction)) return;
  std::vector<std::size_t>& order = work().answer.order;
  toggle(order, item);
  work().answered = order.size() == option_count(*step().prediction);
}

void Player::toggle_cell(std::size_t row, std::size_t column) {
  auto& cells = work().answer.cells;
  toggle(cells, std::pair(row, column));
  std::sort(cells.begin(), cells.end());
  work().answered = !cells.empty();
}

void Player::guess(double number) {
  work().answer.number = number;
  work().answered = true;
}

void Player::draw(double x, double y) {
  Answer& curve = work().answer;
  const auto place = std::lower_bound(curve.x.begin(), curve.x.end(), x);
  const auto index = place - curve.x.begin();
  if (place != curve.x.end() && *place == x) {
    curve.y[static_cast<std::size_t>(index)] = y;
  } else {
    curve.x.insert(place, x);
    curve.y.insert(curve.y.begin() + index, y);
  }
  // One point is no curve.
  work().answered = curve.x.size() > 1;
}

void Player::erase() {
  work().answer = {};
  work().answered = false;
}

std::vector<Answer> Player::answers() const {
  std::vector<Answer> all;
  const std::size_t count = work().tally.size();
  for (std::size_t option = 0; option < count; ++option) {
    Answer hand;
    hand.options.resize(count);
    hand.options[option] = true;
    all.insert(all.end(), work().tally[option], hand);
  }
  if (work().answered) all.push_back(work().answer);
  return all;
}

}  // namespace orrery
