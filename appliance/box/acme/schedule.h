// When the box asks the authority.
#pragma once

#include <chrono>
#include <cstdint>

#include "appliance/foundation/crypto/certificates.h"

namespace acme {

// At two thirds of the certificate's lifetime, or up to a twenty-fourth of it before: boxes that were set up together
// do not come back together. The same for one certificate whenever it is asked.
std::chrono::sys_seconds renewal_time(const crypto::CertificateFacts&);

// After that many failures in a row: a minute, then four times as long each, half a day at most.
std::chrono::seconds pause_after(std::int64_t failures);

}  // namespace acme
