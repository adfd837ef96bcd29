// The certificate authorities that are trusted.
#pragma once

namespace web {

// The file of certificate authorities that every outgoing connection trusts besides the machine's own: SSL_CERT_FILE,
// which libcurl does not read by itself. Null if it is unset.
const char* extra_authorities();

}  // namespace web
