#include "appliance/foundation/crypto/keccak.h"

#include <nettle/sha3.h>

#include <cstring>

namespace crypto {

std::string keccak256(std::string_view data) {
  sha3_256_ctx context;
  sha3_256_init(&context);
  sha3_256_update(&context, data.size(), reinterpret_cast<const std::uint8_t*>(data.data()));
  // SHA-3 differs in the last block alone, which it marks with 0x06 where Keccak has 0x01.
  std::memset(context.block + context.index, 0, SHA3_256_BLOCK_SIZE - context.index);
  context.block[context.index] = 0x01;
  context.block[SHA3_256_BLOCK_SIZE - 1] |= 0x80;
  for (std::size_t word = 0; word < SHA3_256_BLOCK_SIZE / 8; ++word) {
    std::uint64_t lane = 0;
    for (std::size_t byte = 8; byte-- > 0;) lane = lane << 8 | context.block[word * 8 + byte];
    context.state.a[word] ^= lane;
  }
  sha3_permute(&context.state);
  std::string digest(SHA3_256_DIGEST_SIZE, '\0');
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<char>(context.state.a[i / 8] >> (i % 8 * 8));
  return digest;
}

}  // namespace crypto
