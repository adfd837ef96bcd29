#include "appliance/files/explorer/ssh_key.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "appliance/files/explorer/git/ssh_key.h"
#include "appliance/foundation/crypto/base64.h"

namespace explorer {

namespace {

constexpr std::string_view begin_openssh = "-----BEGIN OPENSSH PRIVATE KEY-----";
constexpr std::string_view end_openssh = "-----END OPENSSH PRIVATE KEY-----";

// The first decoded bytes between the two marker lines; empty if it is not base64.
std::string opening_of(std::string_view text) {
  const auto begin = text.find(begin_openssh) + begin_openssh.size();
  std::string body(text.substr(begin, text.find(end_openssh) - begin));
  std::erase_if(body, [](unsigned char c) { return std::isspace(c) != 0; });
  body.resize(std::min<std::size_t>(body.size(), 64) / 4 * 4);
  return crypto::from_base64(body).value_or("");
}

// openssh-key-v1: a magic word, then the cipher's name after its length; PEM has a plain-text header.
bool is_encrypted(std::string_view text) {
  constexpr std::string_view clear("openssh-key-v1\0\0\0\0\4none", 23);
  if (text.find(begin_openssh) != std::string_view::npos) return !opening_of(text).starts_with(clear);
  return text.find("ENCRYPTED") != std::string_view::npos;
}

}  // namespace

std::optional<std::string> problem_of_ssh_key(const std::string& text) {
  const bool is_key = text.find("-----BEGIN ") != std::string::npos &&
                      text.find(" PRIVATE KEY-----") != std::string::npos &&
                      text.find("-----END ") != std::string::npos;
  if (!is_key || text.find('\0') != std::string::npos) {
    return "secret must be a private key for ssh, as ssh-keygen writes it into the file without .pub";
  }
  if (is_encrypted(text)) {
    return "secret must be a private key without a passphrase: make one for the box with ssh-keygen -t ed25519 -N ''";
  }
  if (!git::read_ssh_key(text)) {
    return "secret must be a whole private key that ssh can use: Ed25519, ECDSA or RSA, as ssh-keygen makes them";
  }
  return std::nullopt;
}

bool is_host_key_fingerprint(const std::string& text) {
  constexpr std::string_view kind = "SHA256:";
  constexpr std::size_t digits = 43;
  return text.starts_with(kind) && text.size() == kind.size() + digits &&
         std::all_of(text.begin() + kind.size(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '/'; });
}

}  // namespace explorer
