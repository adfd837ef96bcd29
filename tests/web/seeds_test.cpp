#include "tests/fuzz/body_target.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/targets.h"

namespace seeds_test {

TEST(Seeds, RequestHeads) { fuzz::replay("request_head", fuzz::request_head); }
TEST(Seeds, Chunks) { fuzz::replay("chunks", fuzz::chunks); }
TEST(Seeds, Fields) { fuzz::replay("fields", fuzz::fields); }
TEST(Seeds, Bodies) { fuzz::replay("body", fuzz::body); }

}  // namespace seeds_test
