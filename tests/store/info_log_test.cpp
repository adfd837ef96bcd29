// What RocksDB reports, and how much of it is passed on.
#include "store/rocks/info_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/engine_log.h"

namespace store_test {
namespace info_log_test {

void say(store::InfoLog& log, rocksdb::InfoLogLevel level, const char* format, ...) {
  va_list values;
  va_start(values, format);
  log.Logv(level, format, values);
  va_end(values);
}

TEST(InfoLog, PassesAFewWarningsAndErrorsOn) {
  std::vector<std::string> said;
  store::set_engine_log([&](store::EngineSays level, const std::string& message) {
    said.push_back((level == store::EngineSays::error ? "error: " : "warning: ") + message);
  });
  store::InfoLog log(2);
  say(log, rocksdb::INFO_LEVEL, "as ever");
  say(log, rocksdb::WARN_LEVEL, "%d stalls\n", 3);
  say(log, rocksdb::ERROR_LEVEL, "no space %s", std::string(5000, 'x').c_str());
  for (int more = 0; more < 100; ++more) say(log, rocksdb::FATAL_LEVEL, "again");
  store::set_engine_log({});
  say(log, rocksdb::ERROR_LEVEL, "to nobody");
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], "warning: 3 stalls");
  EXPECT_EQ(said[1].substr(0, 17), "error: no space x");
  EXPECT_LT(said[1].size(), 1100u);
}

}  // namespace info_log_test
}  // namespace store_test
