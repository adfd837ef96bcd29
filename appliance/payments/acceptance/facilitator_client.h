// A facilitator elsewhere, which verifies and settles payments for this box.
#pragma once

#include <optional>
#include <string>

#include "appliance/payments/acceptance/authorization_settlement.h"
#include "appliance/payments/acceptance/verification.h"
#include "appliance/payments/acceptance/x402.h"
#include "web/task.h"

namespace x402 {

// Callable from every thread.
class FacilitatorClient {
 public:
  // `key`: for its Authorization header; empty: none.
  FacilitatorClient(std::string url, std::string key) : url_(std::move(url)), key_(std::move(key)) {}

  bool is_configured() const { return !url_.empty(); }
  // Errors: unavailable, if the facilitator gives no answer of the protocol.
  web::Task<web::Result<std::optional<eip3009::Refusal>>> verify(eip3009::Authorization, Requirements) const;
  // An error means that the outcome is unknown.
  web::Task<web::Result<Settlement>> settle(eip3009::Authorization, Requirements) const;

 private:
  web::Task<web::Result<boost::json::object>> ask(std::string route, eip3009::Authorization, Requirements) const;

  const std::string url_, key_;
};

// Settles authorized transfers through a facilitator elsewhere.
// Callable from every thread.
class FacilitatorSubmitter final : public eip3009::Submitter {
 public:
  explicit FacilitatorSubmitter(FacilitatorClient client) : client_(std::move(client)) {}

  web::Task<eip3009::Submission> submit(eip3009::Token&, eip3009::Authorization) override;
  std::string address() const override { return {}; }

 private:
  const FacilitatorClient client_;
};

}  // namespace x402
