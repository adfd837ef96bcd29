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

constexpr nanoseconds piece = 150us;
constexpr unsigned keys_between_looks = 8;  // at the clock

// Processor time of this thread.
nanoseconds worked() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

class Paced final : public rocks::TablePropertiesCollector {
 public:
  Paced(std::shared_ptr<const WritePressure> pressure, std::uint64_t patience)
      : pressure_(std::move(pressure)), until_(pressure_->written() + patience) {}

  rocks::Status AddUserKey(const rocks::Slice&, const rocks::Slice&, rocks::EntryType, rocks::SequenceNumber,
                           std::uint64_t) override {
    if (++keys_ % keys_between_looks != 0 || pressure_->hurries() || pressure_->written() > until_)
      return rocks::Status::OK();
    if (worked() - rested_at_ < piece) return rocks::Status::OK();
    std::this_thread::sleep_for(piece);
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

class PacedTables final : public rocks::TablePropertiesCollectorFactory {
 public:
  PacedTables(std::shared_ptr<const WritePressure> pressure, std::uint64_t patience)
      : pressure_(std::move(pressure)), patience_(patience) {}

  rocks::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new Paced(pressure_, patience_);
  }
  const char* Name() const override { return "agentbox.paced_tables"; }

 private:
  const std::shared_ptr<const WritePressure> pressure_;
  const std::uint64_t patience_;
};

}  // namespace

std::shared_ptr<rocks::TablePropertiesCollectorFactory> paced_tables(std::shared_ptr<const WritePressure> pressure,
                                                                     std::uint64_t patience) {
  return std::make_shared<PacedTables>(std::move(pressure), patience);
}

}  // namespace store
