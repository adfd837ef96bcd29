#include "tests/fuzz/identity_targets.h"
#include "tests/fuzz/replay.h"

namespace identity_seeds_test {

TEST(Seeds, Passkeys) { fuzz::replay("webauthn", fuzz::webauthn); }
TEST(Seeds, Tokens) { fuzz::replay("jwt", fuzz::jwt); }
TEST(Seeds, WalletMessages) { fuzz::replay("siwe", fuzz::siwe); }

}  // namespace identity_seeds_test
