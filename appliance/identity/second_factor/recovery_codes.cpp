#include "appliance/identity/second_factor/recovery_codes.h"

#include "appliance/foundation/crypto/random.h"

namespace second_factor {

namespace {

constexpr std::size_t characters = 16;

}  // namespace

std::vector<std::string> generate_codes(Factor& factor) {
  std::vector<std::string> codes;
  factor.recovery_codes.clear();
  for (std::size_t i = 0; i < recovery_code_count; ++i) {
    codes.push_back(crypto::random_id(characters));
    factor.recovery_codes.push_back(crypto::sha256_hex(codes.back()));
  }
  return codes;
}

std::vector<std::string> generate_codes_if_none(Factor& factor) {
  return factor.recovery_codes.empty() ? generate_codes(factor) : std::vector<std::string>();
}

bool spend_recovery_code(Factor& factor, std::string_view code) {
  return std::erase(factor.recovery_codes, crypto::sha256_hex(code)) > 0;
}

}  // namespace second_factor
