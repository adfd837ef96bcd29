// AWS Signature Version 4, as object stores with the API of S3 take it: "Authenticating Requests: Using Query
// Parameters" in Amazon's S3 API reference.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "store/codec.h"

namespace bucket {

struct AccessKey {
  std::string id, secret;  // the second is secret
  std::string region;
};

struct UnsignedRequest {
  std::string_view method;
  std::string_view host;  // with its port, as the Host header has it
  std::string_view path;  // begins with /; letters, digits and - . _ ~ / only
  // Parameters besides the signature's, encoded and in the order of their names, which begin with lower-case letters.
  std::string_view query{};
};
// Everything but letters, digits and - . _ ~ as %XX.
std::string percent_encoded(std::string_view text);

// An address is valid for at most seven days.
inline constexpr std::chrono::hours longest_validity{7 * 24};

// The query, without "?", that makes a request for `path` valid from `now` on for this time, whatever its body is.
std::string presigned_query(const AccessKey&, const UnsignedRequest&, store::Time now, std::chrono::seconds validity);

}  // namespace bucket
