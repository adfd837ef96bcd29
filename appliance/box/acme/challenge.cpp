#include "appliance/box/acme/challenge.h"

#include "appliance/foundation/crypto/certificates.h"
#include "appliance/foundation/crypto/random.h"
#include "web/server/acme_challenges.h"

namespace acme {

Presented::Presented(std::string kind, std::string name, std::string token, const std::string& key_authorization)
    : kind_(std::move(kind)), name_(std::move(name)), token_(std::move(token)) {
  auto& challenges = web::acme_challenges();
  if (kind_ == http_challenge) {
    challenges.add_answer(token_, key_authorization);
  } else {
    const auto made = crypto::make_validation_certificate(name_, crypto::sha256(key_authorization));
    challenges.add_certificate(name_, made.certificate, made.key);
  }
}

Presented::~Presented() {
  if (kind_ == http_challenge)
    web::acme_challenges().remove_answer(token_);
  else
    web::acme_challenges().remove_certificate(name_);
}

}  // namespace acme
