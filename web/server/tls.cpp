#include "web/server/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "web/ascii.h"
#include "web/server/acme_challenges.h"

namespace web {
namespace {

// Refuses clients that offer only other protocols.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* selected = nullptr;
  auto result = SSL_select_next_proto(&selected, chosen_size, ours, sizeof(ours) - 1, offered, offered_size);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = selected;
  return SSL_TLSEXT_ERR_OK;
}

// The content of an extension of the client's hello; empty if it has none.
std::string_view extension(SSL* ssl, unsigned type) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(ssl, type, &bytes, &size) != 1) return {};
  return {reinterpret_cast<const char*>(bytes), size};
}

// The only entry of a list (two bytes of length) whose entries begin with `before` and their length in `length_bytes`;
// empty for any other list.
std::string_view only_entry(std::string_view list, std::string_view before, std::size_t length_bytes) {
  const auto number = [](std::string_view bytes) {
    std::size_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  };
  const auto head = 2 + before.size() + length_bytes;
  if (list.size() < head || number(list.substr(0, 2)) != list.size() - 2) return {};
  if (!list.substr(2).starts_with(before)) return {};
  const auto entry = list.substr(head);
  return number(list.substr(2 + before.size(), length_bytes)) == entry.size() ? entry : std::string_view();
}

// A certificate authority that validates a host name gets the certificate that was made for it.
int answer_validation(SSL* ssl, int*, void*) {
  const auto protocol = only_entry(extension(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation), "", 1);
  if (protocol != acme_tls_protocol) return SSL_CLIENT_HELLO_SUCCESS;
  const auto host = only_entry(extension(ssl, TLSEXT_TYPE_server_name), std::string_view("\0", 1), 2);
  if (const auto context = acme_challenges().context_for(lower_case(host)))
    SSL_set_SSL_CTX(ssl, context->native_handle());
  return SSL_CLIENT_HELLO_SUCCESS;
}

}  // namespace

std::shared_ptr<boost::asio::ssl::context> load_tls(const TlsFiles& files) {
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  auto* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  SSL_CTX_set_client_hello_cb(native, answer_validation, nullptr);

  boost::system::error_code error;
  context->use_certificate_chain_file(files.certificate, error);
  if (error)
    throw std::runtime_error("TLS certificate " + files.certificate + " cannot be used: " + error.message() +
                             "; name a PEM file with the certificate and the chain behind it");
  context->use_private_key_file(files.key, ssl::context::pem, error);
  const auto reason = error ? ERR_GET_REASON(static_cast<unsigned long>(error.value())) : 0;
  const bool is_another = reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH;
  if (error && !is_another)
    throw std::runtime_error("TLS key " + files.key + " cannot be used: " + error.message() +
                             "; name a PEM file with the private key, without a passphrase");
  if (is_another || SSL_CTX_check_private_key(native) != 1) {
    ERR_clear_error();
    throw std::runtime_error("TLS key " + files.key + " does not belong to certificate " + files.certificate +
                             "; name the pair that was made together");
  }
  return context;
}

}  // namespace web
