#include "appliance/box/packing/manifest.h"

#include <array>
#include <cstdio>

#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace packing {

namespace {

// As mtree does: what is not a plain letter becomes \ooo.
std::string encoded(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '\\' && c != '#' && c != '=') {
      plain += c;
    } else {
      std::array<char, 8> octal{};
      std::snprintf(octal.data(), octal.size(), "\\%03o", byte);
      plain += octal.data();
    }
  }
  return plain;
}

std::string octal(mode_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04o", mode);
  return text.data();
}

crypto::SigningKey key_of(const std::string& master_key) {
  return crypto::SigningKey(crypto::derived_key(master_key, "agentbox pack"));
}

std::string signed_text(std::string_view manifest_digest) { return "agentbox pack 1\n" + std::string(manifest_digest); }

}  // namespace

std::string manifest_line(const Entry& entry, std::string_view digest) {
  std::string line = "./" + encoded(entry.path);
  switch (entry.type) {
    case EntryType::folder:
      line += " type=dir mode=" + octal(entry.mode);
      break;
    case EntryType::link:
      line += " type=link link=" + encoded(entry.target);
      break;
    case EntryType::file:
      line += " type=file mode=" + octal(entry.mode) + " size=" + std::to_string(entry.size) +
              " sha256digest=" + std::string(digest);
  }
  return line + "\n";
}

std::string sign_manifest(std::string_view manifest_digest, const std::string& master_key) {
  return crypto::hex(key_of(master_key).sign(signed_text(manifest_digest)));
}

bool is_signed_manifest(std::string_view manifest_digest, std::string_view signature, const std::string& master_key) {
  return crypto::verify_ed25519(key_of(master_key).public_key(), signed_text(manifest_digest),
                                crypto::unhex(signature));
}

}  // namespace packing
