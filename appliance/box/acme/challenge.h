// The proof that this box is the one at a host name, while the authority looks.
#pragma once

#include <string>

namespace acme {

inline constexpr const char* http_challenge = "http-01";
inline constexpr const char* tls_challenge = "tls-alpn-01";

// The box's listeners answer for as long as this lives.
class Presented {
 public:
  Presented(std::string kind, std::string name, std::string token, const std::string& key_authorization);
  ~Presented();
  Presented(const Presented&) = delete;
  Presented& operator=(const Presented&) = delete;

 private:
  const std::string kind_, name_, token_;
};

}  // namespace acme
