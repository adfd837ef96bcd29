#include "tests/fuzz/explorer_targets.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/repository_target.h"

namespace explorer_seeds_test {

TEST(Seeds, Repository) { fuzz::replay("repository", fuzz::repository); }
TEST(Seeds, Paths) { fuzz::replay("paths", fuzz::paths); }

}  // namespace explorer_seeds_test
