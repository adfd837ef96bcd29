#include "tests/fuzz/multipart_target.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/schedule_targets.h"

namespace hosting_seeds_test {

TEST(Seeds, Forms) { fuzz::replay("multipart", fuzz::multipart); }
TEST(Seeds, CronExpressions) { fuzz::replay("cron", fuzz::cron); }
TEST(Seeds, TimeZones) { fuzz::replay("tzif", fuzz::tzif); }

}  // namespace hosting_seeds_test
