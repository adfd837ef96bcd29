#include "tests/fuzz/replay.h"
#include "tests/fuzz/summarizer_targets.h"

namespace seeds_test {

TEST(Seeds, Pages) { fuzz::replay("page", fuzz::page); }
TEST(Seeds, Charsets) { fuzz::replay("charset", fuzz::charset); }
TEST(Seeds, Urls) { fuzz::replay("url", fuzz::url); }

}  // namespace seeds_test
