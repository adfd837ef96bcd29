// What the listeners answer to a certificate authority that validates a host name (RFC 8555, section 8.3, and RFC
// 8737). One set for the whole process: every TLS context of it asks here during the handshake.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace web {

// The protocol that a validation by TLS-ALPN-01 asks for.
inline constexpr std::string_view acme_tls_protocol = "acme-tls/1";

// Callable from every thread.
class AcmeChallenges {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  // For GET /.well-known/acme-challenge/<token>.
  void add_answer(std::string token, std::string key_authorization);
  void remove_answer(const std::string& token);
  // For handshakes that ask for this host (lower case) and acme-tls/1. Both in PEM; throws std::runtime_error for
  // others.
  void add_certificate(std::string host, const std::string& certificate, const std::string& key);
  void remove_certificate(const std::string& host);

  // The text for the path of a request; nothing for any other path.
  std::optional<std::string> answer_to(std::string_view path) const;
  Context context_for(std::string_view host) const;  // null: none

 private:
  mutable std::mutex mutex_;  // protects what follows
  std::map<std::string, std::string, std::less<>> answers_;
  std::map<std::string, Context, std::less<>> contexts_;
};

AcmeChallenges& acme_challenges();

}  // namespace web
