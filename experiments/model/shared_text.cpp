#include "experiments/model/shared_text.h"

#include <pthread.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <unordered_set>

namespace orrery {

struct SharedText::Kept {
  explicit Kept(std::string_view of) : text(of) {}
  std::string text;
  std::atomic<std::size_t> holders{1};
};

namespace {

using Kept = SharedText::Kept;

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
  std::size_t operator()(const std::unique_ptr<Kept>& kept) const { return (*this)(kept->text); }
};

struct Same {
  using is_transparent = void;
  static std::string_view text_of(std::string_view text) { return text; }
  static std::string_view text_of(const std::unique_ptr<Kept>& kept) { return kept->text; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return text_of(a) == text_of(b);
  }
};

struct Pool {
  std::mutex mutex{};
  std::unordered_set<std::unique_ptr<Kept>, Hash, Same> texts{};
};

/// Never destroyed, as other static objects may hold texts. No other thread is in it at a fork, so
/// that the child can go on.
Pool& pool() {
  static auto* const all = new Pool;
  static const int registered = ::pthread_atfork(
      [] { all->mutex.lock(); }, [] { all->mutex.unlock(); }, [] { all->mutex.unlock(); });
  static_cast<void>(registered);
  return *all;
}

Kept* keep(std::string_view text) {
  if (text.empty()) return nullptr;
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  const auto known = all.texts.find(text);
  if (known == all.texts.end()) return all.texts.insert(std::make_unique<Kept>(text)).first->get();
  (*known)->holders.fetch_add(1, std::memory_order_relaxed);
  return known->get();
}

/// The last holder leaves under the lock, so that nobody finds a text that is about to go.
void leave(Kept& kept) {
  std::size_t holders = kept.holders.load(std::memory_order_relaxed);
  while (holders > 1)
    if (kept.holders.compare_exchange_weak(holders, holders - 1, std::memory_order_acq_rel)) return;
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  if (kept.holders.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  all.texts.erase(all.texts.find(std::string_view(kept.text)));
}

}  // namespace

SharedText::SharedText(std::string_view text) : kept_(keep(text)) {}
SharedText::SharedText(const std::string& text) : kept_(keep(text)) {}
SharedText::SharedText(const char* text) : kept_(keep(text)) {}

SharedText::SharedText(const SharedText& other) : kept_(other.kept_) {
  if (kept_) kept_->holders.fetch_add(1, std::memory_order_relaxed);
}

SharedText::SharedText(SharedText&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}

SharedText& SharedText::operator=(SharedText other) noexcept {
  std::swap(kept_, other.kept_);
  return *this;
}

SharedText::~SharedText() {
  if (kept_) leave(*kept_);
}

std::ostream& operator<<(std::ostream& stream, const SharedText& text) {
  return stream << text.str();
}

const std::string& SharedText::str() const {
  static const auto* const none = new std::string;
  return kept_ ? kept_->text : *none;
}

}  // namespace orrery
