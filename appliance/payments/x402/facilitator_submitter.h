// Settles authorized transfers through a facilitator elsewhere.
#pragma once

#include <string>

#include "appliance/payments/eip3009/submitter.h"
#include "appliance/payments/x402/facilitator_client.h"

namespace x402 {

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
