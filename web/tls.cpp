#include "web/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <stdexcept>

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

  boost::system::error_code error;
  context->use_certificate_chain_file(files.certificate, error);
  if (error)
    throw std::runtime_error("TLS certificate " + files.certificate + " cannot be used: " + error.message() +
                             "; name a PEM file with the certificate and the chain behind it");
  context->use_private_key_file(files.key, ssl::context::pem, error);
  if (error)
    throw std::runtime_error("TLS key " + files.key + " cannot be used: " + error.message() +
                             "; name a PEM file with the private key, without a passphrase");
  if (SSL_CTX_check_private_key(native) != 1) {
    ERR_clear_error();
    throw std::runtime_error("TLS key " + files.key + " does not belong to certificate " + files.certificate +
                             "; name the pair that was made together");
  }
  return context;
}

}  // namespace web
