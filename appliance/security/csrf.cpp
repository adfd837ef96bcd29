#include "appliance/security/csrf.h"

#include "appliance/crypto/random.h"

namespace security {

std::string csrf_token(std::string_view session_token) {
  return crypto::sha256_hex("agentbox csrf:" + std::string(session_token));
}

bool csrf_token_valid(std::string_view session_token, std::string_view token) {
  return crypto::constant_time_equal(csrf_token(session_token), token);
}

}  // namespace security
