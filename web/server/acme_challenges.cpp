#include "web/server/acme_challenges.h"

#include <boost/asio/buffer.hpp>

namespace web {

namespace {

int choose_validation(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char*, unsigned,
                      void*) {
  *chosen = reinterpret_cast<const unsigned char*>(acme_tls_protocol.data());
  *chosen_size = static_cast<unsigned char>(acme_tls_protocol.size());
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

void AcmeChallenges::add_answer(std::string token, std::string key_authorization) {
  const std::scoped_lock lock(mutex_);
  answers_.insert_or_assign(std::move(token), std::move(key_authorization));
}

void AcmeChallenges::remove_answer(const std::string& token) {
  const std::scoped_lock lock(mutex_);
  answers_.erase(token);
}

void AcmeChallenges::add_certificate(std::string host, const std::string& certificate, const std::string& key) {
  namespace asio = boost::asio;
  const auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_alpn_select_cb(context->native_handle(), choose_validation, nullptr);
  context->use_certificate(asio::buffer(certificate), asio::ssl::context::pem);
  context->use_private_key(asio::buffer(key), asio::ssl::context::pem);
  const std::scoped_lock lock(mutex_);
  contexts_.insert_or_assign(std::move(host), context);
}

void AcmeChallenges::remove_certificate(const std::string& host) {
  const std::scoped_lock lock(mutex_);
  contexts_.erase(host);
}

std::optional<std::string> AcmeChallenges::answer_to(std::string_view path) const {
  constexpr std::string_view prefix = "/.well-known/acme-challenge/";
  if (!path.starts_with(prefix)) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto found = answers_.find(path.substr(prefix.size()));
  return found == answers_.end() ? std::nullopt : std::optional(found->second);
}

AcmeChallenges::Context AcmeChallenges::context_for(std::string_view host) const {
  const std::scoped_lock lock(mutex_);
  const auto found = contexts_.find(host);
  return found == contexts_.end() ? nullptr : found->second;
}

AcmeChallenges& acme_challenges() {
  static AcmeChallenges all;
  return all;
}

}  // namespace web
