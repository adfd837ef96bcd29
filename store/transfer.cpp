#include "store/transfer.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <optional>

namespace store {
namespace {

constexpr std::size_t chunk_records = 500, chunk_bytes = 1u << 20;

// SHA-256 of texts, each with its length before it.
class TextsDigest {
 public:
  TextsDigest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(std::string_view text) {
    const auto size = static_cast<std::uint64_t>(text.size());
    std::array<unsigned char, sizeof size> bytes{};
    for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<unsigned char>(size >> (8 * at));
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
    EVP_DigestUpdate(context_.get(), text.data(), text.size());
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
    constexpr auto digits = "0123456789abcdef";
    std::string text;
    for (unsigned at = 0; at < size; ++at) text.append(1, digits[bytes[at] >> 4]).append(1, digits[bytes[at] & 15]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

std::optional<std::string> last_key(const Engine& engine, Family family) {
  std::optional<std::string> last;
  const auto visit = [&last](std::string_view key, std::string_view) {
    last = key;
    return false;
  };
  engine.scan(Scope::system(), family, {.first = {}, .last = {}, .reverse = true}, visit);
  return last;
}

void copy_family(const Engine& from, Engine& to, Family family, const Snapshot& at) {
  Range rest;
  if (auto last = last_key(to, family)) rest.first = last->append(1, '\0');
  Batch chunk;
  std::size_t bytes = 0;
  const auto write = [&] {
    if (!chunk.writes.empty()) to.commit_blocking(std::move(chunk), Durability::relaxed);
    chunk = {};
    bytes = 0;
  };
  const auto visit = [&](std::string_view key, std::string_view value) {
    chunk.writes.push_back(
        {.kind = Write::Kind::put, .family = family, .key = std::string(key), .value = std::string(value)});
    bytes += key.size() + value.size();
    if (chunk.writes.size() >= chunk_records || bytes >= chunk_bytes) write();
    return true;
  };
  from.scan(Scope::system(), family, rest, visit, &at);
  write();
}

}  // namespace

std::vector<FamilyDigest> digests(const Engine& engine, const std::vector<FamilySpec>& families) {
  const auto at = engine.snapshot();
  std::vector<FamilyDigest> all;
  for (Family family = 0; family < families.size(); ++family) {
    TextsDigest digest;
    FamilyDigest found{.family = families[family].name, .records = 0, .sha256 = {}};
    const auto visit = [&](std::string_view key, std::string_view value) {
      digest.add(key);
      digest.add(value);
      ++found.records;
      return true;
    };
    engine.scan(Scope::system(), family, {}, visit, at.get());
    found.sha256 = digest.hex();
    all.push_back(std::move(found));
  }
  return all;
}

void copy_records(const Engine& from, Engine& to, const std::vector<FamilySpec>& families) {
  if (last_key(to, 0)) throw Unavailable("The target holds a store already.");
  const auto at = from.snapshot();
  for (Family family = 1; family < families.size(); ++family) copy_family(from, to, family, *at);
  Batch meta;
  const auto visit = [&meta](std::string_view key, std::string_view value) {
    meta.writes.push_back(
        {.kind = Write::Kind::put, .family = 0, .key = std::string(key), .value = std::string(value)});
    return true;
  };
  from.scan(Scope::system(), 0, {}, visit, at.get());
  to.commit_blocking(std::move(meta));  // durable, with all before it
}

}  // namespace store
