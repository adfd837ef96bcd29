#include "appliance/box/acme/schedule.h"

#include <algorithm>
#include <string>

namespace acme {

using namespace std::chrono_literals;

std::chrono::sys_seconds renewal_time(const crypto::CertificateFacts& certificate) {
  const auto lifetime = certificate.expires_at - certificate.valid_from;
  const auto draw = std::stoi(certificate.sha256.substr(0, 2), nullptr, 16);  // 0 to 255
  return certificate.valid_from + lifetime * 2 / 3 - lifetime / 24 * draw / 256;
}

std::chrono::seconds pause_after(std::int64_t failures) {
  constexpr std::chrono::seconds longest = 12h;
  std::chrono::seconds pause = 1min;
  for (std::int64_t i = 1; i < failures && pause < longest; ++i) pause *= 4;
  return std::min(pause, longest);
}

}  // namespace acme
