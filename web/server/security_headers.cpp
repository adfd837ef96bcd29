#include "web/server/security_headers.h"

namespace web {

SecurityHeaders::SecurityHeaders(bool browser) {
  for (unsigned bits = 0; bits < blocks_.size(); ++bits) {
    auto& lines = blocks_[bits];
    const bool own_policy = bits & 8;
    lines = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";
    lines += own_policy ? "X-Frame-Options: SAMEORIGIN\r\n" : "X-Frame-Options: DENY\r\n";
    if (bits & 1 && browser && !own_policy)
      lines +=
          "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
          "media-src 'self' blob:; frame-src 'self'; manifest-src 'self'; "
          "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n"
          "Cross-Origin-Opener-Policy: same-origin\r\n";
    else if (!own_policy)
      lines += "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";
    if (bits & 2) lines += "Strict-Transport-Security: max-age=31536000\r\n";
    if (!(bits & 4)) lines += "Cache-Control: no-store\r\n";
  }
}

}  // namespace web
