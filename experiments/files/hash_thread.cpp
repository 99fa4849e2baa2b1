#include "experiments/files/hash_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "experiments/files/file.h"

namespace orrery {
namespace {

constexpr std::size_t most_waiting = std::size_t{8} << 20;  // bytes

struct Part {
  std::size_t file;
  std::string bytes;
};

}  // namespace

struct HashThread::Work {
  std::vector<Sha256> hashes{};
  std::mutex mutex{};
  std::condition_variable changed{};
  std::deque<Part> parts{};   ///< what is hashed now stays the first until it is done
  std::vector<Part> spare{};  ///< whose memory is used again
  std::size_t waiting{0};     ///< bytes of `parts`
  bool ended{false};
  std::thread thread{};

  void hash_parts() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ended || !parts.empty(); });
      if (ended) return;
      const Part& first = parts.front();
      lock.unlock();
      hashes[first.file].update(first.bytes);
      lock.lock();
      waiting -= first.bytes.size();
      spare.push_back(std::move(parts.front()));
      parts.pop_front();
      changed.notify_all();
    }
  }

  Part spare_part() {
    if (spare.empty()) return {};
    Part part = std::move(spare.back());
    spare.pop_back();
    return part;
  }
};

HashThread::HashThread(std::size_t files) : work_(std::make_unique<Work>()) {
  work_->hashes = std::vector<Sha256>(files);
  try {
    work_->thread = std::thread([work = work_.get()] { work->hash_parts(); });
  } catch (const std::system_error&) {  // no room for another thread
  }
}

HashThread::~HashThread() {
  if (!work_->thread.joinable()) return;
  {
    const std::scoped_lock lock(work_->mutex);
    work_->ended = true;
  }
  work_->changed.notify_all();
  work_->thread.join();
}

void HashThread::update(std::size_t file, std::string_view bytes) {
  if (!work_->thread.joinable()) return work_->hashes[file].update(bytes);
  std::unique_lock lock(work_->mutex);
  work_->changed.wait(lock, [&] { return work_->waiting < most_waiting; });
  Part part = work_->spare_part();
  lock.unlock();
  part.file = file;
  part.bytes.assign(bytes);
  lock.lock();
  work_->waiting += bytes.size();
  work_->parts.push_back(std::move(part));
  work_->changed.notify_all();
}

std::string HashThread::hex(std::size_t file) {
  std::unique_lock lock(work_->mutex);
  work_->changed.wait(lock, [this] { return work_->parts.empty(); });
  return work_->hashes[file].hex();
}

}  // namespace orrery
