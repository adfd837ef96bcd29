#include "web/server/security_headers.h"

namespace web {

SecurityHeaders::SecurityHeaders(bool browser) {
  for (unsigned bits = 0; bits < blocks_.size(); ++bits) {
    auto& lines = blocks_[bits];
    lines = "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n";
    if (bits & 1 && browser)
      lines +=
          "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
          "media-src 'self' blob:; "
          "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n"
          "Cross-Origin-Opener-Policy: same-origin\r\n";
    else
      lines += "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";
    if (bits & 2) lines += "Strict-Transport-Security: max-age=31536000\r\n";
    if (!(bits & 4)) lines += "Cache-Control: no-store\r\n";
  }
}

}  // namespace web
