// The certificate authorities that are trusted.
#pragma once

#include <optional>
#include <string>

namespace web {

// The file of certificate authorities that every outgoing connection trusts besides the machine's own: SSL_CERT_FILE,
// which libcurl does not read by itself. Null if it is unset.
const char* extra_authorities();

// The text of that file and of the machine's own, in PEM; empty if there is neither. Blocks.
std::string trusted_authorities();

// From now on fetch() trusts only the authorities of this PEM file at this destination ("host:port", in lower case),
// for the whole process. Callable from every thread.
void trust_only(const std::string& destination, const std::string& file);
// The file; nothing: the authorities that are trusted everywhere.
std::optional<std::string> only_authorities_of(const std::string& destination);

}  // namespace web
