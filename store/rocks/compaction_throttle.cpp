#include "store/rocks/compaction_throttle.h"

#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

namespace store {
namespace {

namespace rocks = rocksdb;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds work_slice = 150us;
constexpr unsigned keys_between_checks = 8;  // of the clock

// Processor time of this thread.
nanoseconds worked() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

class Throttle final : public rocks::TablePropertiesCollector {
 public:
  Throttle(std::shared_ptr<const WritePressure> pressure, std::uint64_t max_behind)
      : pressure_(std::move(pressure)), until_(pressure_->written() + max_behind) {}

  rocks::Status AddUserKey(const rocks::Slice&, const rocks::Slice&, rocks::EntryType, rocks::SequenceNumber,
                           std::uint64_t) override {
    if (++keys_ % keys_between_checks != 0 || pressure_->hurries() || pressure_->written() > until_)
      return rocks::Status::OK();
    if (worked() - rested_at_ < work_slice) return rocks::Status::OK();
    std::this_thread::sleep_for(work_slice);
    rested_at_ = worked();
    return rocks::Status::OK();
  }
  rocks::Status Finish(rocks::UserCollectedProperties*) override { return rocks::Status::OK(); }
  rocks::UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return "agentbox.paced"; }

 private:
  const std::shared_ptr<const WritePressure> pressure_;
  const std::uint64_t until_;
  unsigned keys_ = 0;
  nanoseconds rested_at_ = worked();
};

class ThrottledTables final : public rocks::TablePropertiesCollectorFactory {
 public:
  ThrottledTables(std::shared_ptr<const WritePressure> pressure, std::uint64_t max_behind)
      : pressure_(std::move(pressure)), max_behind_(max_behind) {}

  rocks::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new Throttle(pressure_, max_behind_);
  }
  const char* Name() const override { return "agentbox.paced_tables"; }  // kept in table files

 private:
  const std::shared_ptr<const WritePressure> pressure_;
  const std::uint64_t max_behind_;
};

}  // namespace

std::shared_ptr<rocks::TablePropertiesCollectorFactory> throttled_tables(std::shared_ptr<const WritePressure> pressure,
                                                                         std::uint64_t max_behind) {
  return std::make_shared<ThrottledTables>(std::move(pressure), max_behind);
}

}  // namespace store
