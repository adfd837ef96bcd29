#include "tests/fuzz/replay.h"
#include "tests/fuzz/targets.h"

namespace {

TEST(Seeds, RequestHeads) { fuzz::replay("request_head", fuzz::request_head); }
TEST(Seeds, Chunks) { fuzz::replay("chunks", fuzz::chunks); }
TEST(Seeds, Fields) { fuzz::replay("fields", fuzz::fields); }

}  // namespace
