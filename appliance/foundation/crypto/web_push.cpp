#include "appliance/foundation/crypto/web_push.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <memory>
#include <stdexcept>

#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace crypto {

namespace {

using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Release<EVP_PKEY_CTX_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Release<BN_clear_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Release<OSSL_PARAM_BLD_free>>;
using KeyParams = std::unique_ptr<OSSL_PARAM, Release<OSSL_PARAM_free>>;

constexpr std::size_t point_bytes = 65, scalar_bytes = 32, auth_secret_bytes = 16, salt_bytes = 16,
                      content_key_bytes = 16, nonce_bytes = 12, tag_bytes = 16;
constexpr char uncompressed = 4, last_record = 2;

void ensure(bool is_done, const char* what) {
  if (!is_done) throw std::runtime_error(std::string("OpenSSL could not ") + what);
}

unsigned char* writable(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

// Null unless it is a point on the curve. Without a private key: the public one alone.
Key key_of(std::string_view public_key, std::string_view private_key = {}) {
  if (public_key.size() != point_bytes || public_key.front() != uncompressed) return nullptr;
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  ensure(builder && context, "make a key");
  BigNumber number;
  bool is_built = OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
                  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, public_key.data(),
                                                   public_key.size()) == 1;
  if (!private_key.empty()) {
    number.reset(BN_bin2bn(unsigned_bytes(private_key), int(private_key.size()), nullptr));
    is_built = is_built && number && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, number.get()) == 1;
  }
  const KeyParams params(is_built ? OSSL_PARAM_BLD_to_param(builder.get()) : nullptr);
  ensure(params && EVP_PKEY_fromdata_init(context.get()) == 1, "make a key");
  EVP_PKEY* made = nullptr;
  const int selection = private_key.empty() ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
  if (EVP_PKEY_fromdata(context.get(), &made, selection, params.get()) != 1) return nullptr;
  Key key(made);
  const KeyContext checking(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  if (!checking || EVP_PKEY_public_check(checking.get()) != 1) return nullptr;
  return key;
}

std::string public_key_of(EVP_PKEY* key) {
  unsigned char* encoded = nullptr;
  const auto size = EVP_PKEY_get1_encoded_public_key(key, &encoded);
  ensure(size == point_bytes, "write a public key");
  std::string bytes(reinterpret_cast<const char*>(encoded), size);
  OPENSSL_free(encoded);
  return bytes;
}

std::string shared_secret(EVP_PKEY* own, EVP_PKEY* other) {
  const KeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, own, nullptr));
  std::string secret(scalar_bytes, '\0');
  std::size_t size = secret.size();
  ensure(context && EVP_PKEY_derive_init(context.get()) == 1 && EVP_PKEY_derive_set_peer(context.get(), other) == 1 &&
             EVP_PKEY_derive(context.get(), writable(secret), &size) == 1 && size == scalar_bytes,
         "agree on a key");
  return secret;
}

// HKDF (RFC 5869) for outputs of one block at most.
std::string derive(std::string_view salt, std::string_view secret, std::string_view info, std::size_t bytes) {
  auto block = hmac_sha256(hmac_sha256(salt, secret), std::string(info) + '\x01');
  block.resize(bytes);
  return block;
}

// AES-128-GCM; the tag is at the end.
std::string seal(const std::string& key, const std::string& nonce, const std::string& message) {
  const std::unique_ptr<EVP_CIPHER_CTX, Release<EVP_CIPHER_CTX_free>> context(EVP_CIPHER_CTX_new());
  std::string sealed(message.size() + tag_bytes, '\0');
  int written = 0, rest = 0;
  ensure(
      context &&
          EVP_EncryptInit_ex2(context.get(), EVP_aes_128_gcm(), unsigned_bytes(key), unsigned_bytes(nonce), nullptr) ==
              1 &&
          EVP_EncryptUpdate(context.get(), writable(sealed), &written, unsigned_bytes(message), int(message.size())) ==
              1 &&
          EVP_EncryptFinal_ex(context.get(), writable(sealed) + written, &rest) == 1 &&
          std::size_t(written + rest) == message.size() &&
          EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes, writable(sealed) + message.size()) == 1,
      "encrypt a message");
  return sealed;
}

std::string encrypt(const PushReceiver& to, std::string_view message, EVP_PKEY* sender, const std::string& salt) {
  if (message.size() > max_push_message) throw std::invalid_argument("the push message is too long");
  const auto receiver = to.secret.size() == auth_secret_bytes ? key_of(to.public_key) : nullptr;
  if (!receiver) throw std::invalid_argument("the push message has no valid receiver");
  const auto sender_point = public_key_of(sender);
  const std::string end(1, '\0');
  const auto both = "WebPush: info" + end + to.public_key + sender_point;
  const auto input = derive(to.secret, shared_secret(sender, receiver.get()), both, scalar_bytes);
  const auto key = derive(salt, input, "Content-Encoding: aes128gcm" + end, content_key_bytes);
  const auto nonce = derive(salt, input, "Content-Encoding: nonce" + end, nonce_bytes);
  const std::string record_size{0, 0, 0x10, 0};  // 4,096, in network order
  return salt + record_size + char(point_bytes) + sender_point + seal(key, nonce, std::string(message) + last_record);
}

}  // namespace

bool is_push_receiver(const PushReceiver& receiver) {
  return receiver.secret.size() == auth_secret_bytes && key_of(receiver.public_key) != nullptr;
}

std::string encrypt_push(const PushReceiver& to, std::string_view message) {
  const Key sender(EVP_EC_gen("P-256"));
  ensure(sender != nullptr, "make a key");
  return encrypt(to, message, sender.get(), random_bytes(salt_bytes));
}

std::string encrypt_push(const PushReceiver& to, std::string_view message, const PushSender& sender) {
  const auto key = key_of(sender.public_key, sender.private_key);
  if (!key || sender.salt.size() != salt_bytes) throw std::invalid_argument("the sender's key or salt is not valid");
  return encrypt(to, message, key.get(), sender.salt);
}

}  // namespace crypto
