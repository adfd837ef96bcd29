#include "appliance/box/packing/content_digest.h"

#include <array>
#include <stdexcept>

#include "appliance/foundation/crypto/random.h"

namespace packing {

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 cannot start");
}

void Sha256::add(std::string_view bytes) {
  if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw std::runtime_error("SHA-256 failed");
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context_.get(), digest.data(), &size) != 1) throw std::runtime_error("SHA-256 failed");
  return crypto::hex({reinterpret_cast<const char*>(digest.data()), size});
}

void ContentDigest::end_block() {
  if (end_ > begin_) blocks_ += " " + std::to_string(begin_) + "+" + std::to_string(end_ - begin_);
}

void ContentDigest::add(std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (offset != end_) {
    end_block();
    begin_ = offset;
  }
  data_.add(bytes);
  end_ = offset + bytes.size();
}

std::string ContentDigest::finish(std::uint64_t size) {
  auto digest = data_.finish();
  if (blocks_.empty() && begin_ == 0 && end_ == size) return digest;
  end_block();
  return crypto::sha256_hex(digest + blocks_);
}

}  // namespace packing
