#include "store/rocks/compaction_throttle.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>

namespace compaction_throttle_test {

// How often this thread has slept so far.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

// How often the thread that writes a table of many keys sleeps; `meanwhile` happens once it has begun.
long rests(const std::shared_ptr<store::WritePressure>& pressure, const std::function<void()>& meanwhile) {
  const auto tables = store::throttled_tables(pressure, 1000);
  const std::unique_ptr<rocksdb::TablePropertiesCollector> table(tables->CreateTablePropertiesCollector({}));
  meanwhile();
  const auto before = sleeps();
  for (int key = 0; key < 300'000; ++key) EXPECT_TRUE(table->AddUserKey("k", "v", rocksdb::kEntryPut, 1, 0).ok());
  return sleeps() - before;
}

TEST(CompactionThrottle, AFlushRestsUnlessMuchIsWrittenOrTheStoreIsClosed) {
  const auto pressure = std::make_shared<store::WritePressure>();
  const auto paced = rests(pressure, [&] { pressure->wrote(1000); });
  EXPECT_GT(paced, 2);
  EXPECT_LT(rests(pressure, [&] { pressure->wrote(1001); }), paced);
  EXPECT_GT(rests(pressure, [] {}), 2) << "what was written before it began is no reason";
  EXPECT_LT(rests(pressure, [&] { pressure->hurry(); }), paced);
}

}  // namespace compaction_throttle_test
