// Whose certificates are trusted.
#pragma once

namespace web {

// The file of certificate authorities that are trusted beside the machine's own, by every connection the box opens:
// SSL_CERT_FILE, which libcurl does not read by itself; null without one.
const char* extra_authorities();

}  // namespace web
