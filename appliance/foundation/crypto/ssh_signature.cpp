#include "appliance/foundation/crypto/ssh_signature.h"

#include <openssl/evp.h>

#include <array>
#include <optional>
#include <string>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/random.h"

namespace crypto {

namespace {

constexpr std::string_view ssh_magic = "SSHSIG", ssh_key_type = "ssh-ed25519";
constexpr std::string_view armor_begin = "-----BEGIN SSH SIGNATURE-----", armor_end = "-----END SSH SIGNATURE-----";
constexpr std::size_t ssh_signature_version = 1;

// Numbers and strings of the SSH protocol (RFC 4251, section 5).
class SshReader {
 public:
  explicit SshReader(std::string_view bytes) : rest_(bytes) {}
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::optional<std::size_t> number() {
    if (rest_.size() < 4) return std::nullopt;
    std::size_t value = 0;
    for (const char c : rest_.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
    rest_.remove_prefix(4);
    return value;
  }
  std::optional<std::string_view> string() {
    const auto size = number();
    if (!size || *size > rest_.size()) return std::nullopt;
    const auto text = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return text;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string ssh_string(std::string_view text) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(text.size() >> shift & 0xff);
  return bytes.append(text);
}

// What follows the type in a key or a signature of type ssh-ed25519.
std::optional<std::string_view> of_type(std::string_view blob) {
  SshReader reader(blob);
  const auto type = reader.string();
  const auto content = type == ssh_key_type ? reader.string() : std::nullopt;
  return reader.at_end() ? content : std::nullopt;
}

std::optional<std::string> blob_of_key(std::string_view line) {
  if (!line.starts_with(ssh_key_type)) return std::nullopt;
  line.remove_prefix(ssh_key_type.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return from_base64(line.substr(0, line.find_first_of(" \r\n")));
}

std::optional<std::string> blob_of_armor(std::string_view text) {
  const auto begin = text.find(armor_begin), end = text.find(armor_end);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  std::string encoded;
  for (const char c : text.substr(begin + armor_begin.size(), end - begin - armor_begin.size()))
    if (c != '\n' && c != '\r') encoded += c;
  return from_base64(encoded);
}

std::string sha512(std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha512(), nullptr) != 1) return {};
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

bool is_ssh_signature(std::string_view message, std::string_view signature, std::string_view public_key,
                      std::string_view name_space) {
  const auto trusted = blob_of_key(public_key), armored = blob_of_armor(signature);
  if (!trusted || !armored) return false;
  SshReader reader(*armored);
  if (!reader.take(ssh_magic) || reader.number() != ssh_signature_version) return false;
  const auto key = reader.string(), signed_space = reader.string(), reserved = reader.string(), hash = reader.string(),
             signed_blob = reader.string();
  if (!key || !signed_space || !reserved || !hash || !signed_blob || !reader.at_end()) return false;
  if (*key != *trusted || *signed_space != name_space || (*hash != "sha512" && *hash != "sha256")) return false;
  const auto raw_key = of_type(*key), raw_signature = of_type(*signed_blob);
  if (!raw_key || !raw_signature) return false;
  const auto digest = *hash == "sha512" ? sha512(message) : sha256(message);
  const auto signed_text =
      std::string(ssh_magic) + ssh_string(name_space) + ssh_string(*reserved) + ssh_string(*hash) + ssh_string(digest);
  return verify_ed25519(*raw_key, signed_text, *raw_signature);
}

}  // namespace crypto
