#include "tests/fuzz/explorer_targets.h"
#include "tests/fuzz/replay.h"

namespace {

TEST(Seeds, Paths) { fuzz::replay("paths", fuzz::paths); }

}  // namespace
