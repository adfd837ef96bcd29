// Messages for browsers over a push service that cannot read them (RFC 8291, in the coding aes128gcm of RFC 8188).
#pragma once

#include <string>
#include <string_view>

namespace crypto {

// What a browser gives to those who may send it messages.
struct PushReceiver {
  std::string public_key;  // a point on P-256, uncompressed: 65 bytes
  std::string secret;      // 16 bytes
};

// Push services take 4,096 bytes, of which 103 are the header, the padding delimiter and the tag.
inline constexpr std::size_t max_push_message = 3'993;

// Whether messages can be encrypted for it.
bool is_push_receiver(const PushReceiver&);

// The body of a request to the push service. Throws std::invalid_argument if the message is too long, or the receiver
// is none.
std::string encrypt_push(const PushReceiver&, std::string_view message);

// The same with a given private key of the sender (32 bytes) and salt (16 bytes), for published examples.
struct PushSender {
  std::string private_key, public_key, salt;
};
std::string encrypt_push(const PushReceiver&, std::string_view message, const PushSender&);

}  // namespace crypto
