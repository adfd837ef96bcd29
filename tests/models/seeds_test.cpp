#include "tests/fuzz/provider_stream_target.h"
#include "tests/fuzz/replay.h"

namespace models_seeds_test {

TEST(Seeds, ProviderStreams) { fuzz::replay("provider_stream", fuzz::provider_stream); }

}  // namespace models_seeds_test
