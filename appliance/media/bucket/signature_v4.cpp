#include "appliance/media/bucket/signature_v4.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"

namespace bucket {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

// "20130524T000000Z"
std::string basic_time(store::Time time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 20> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return {text.data(), length};
}

std::string signing_key(const AccessKey& key, std::string_view date) {
  std::string derived = "AWS4" + key.secret;
  for (const std::string_view part :
       {date, std::string_view(key.region), std::string_view("s3"), std::string_view("aws4_request")})
    derived = crypto::hmac_sha256(derived, part);
  return derived;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const unsigned char c : text) {
    const bool is_plain = web::is_alphanumeric(static_cast<char>(c)) || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain) {
      encoded += static_cast<char>(c);
    } else {
      encoded += '%';
      encoded += digits[c >> 4];
      encoded += digits[c & 15];
    }
  }
  return encoded;
}

std::string presigned_query(const AccessKey& key, const UnsignedRequest& request, store::Time now,
                            std::chrono::seconds validity) {
  const auto time = basic_time(now);
  const auto date = time.substr(0, 8);
  const auto scope = date + "/" + key.region + "/s3/aws4_request";
  const std::chrono::seconds limited = std::min<std::chrono::seconds>(validity, longest_validity);
  // In the order of their names, as the canonical request needs them.
  std::string query = "X-Amz-Algorithm=" + std::string(algorithm) +
                      "&X-Amz-Credential=" + percent_encoded(key.id + "/" + scope) + "&X-Amz-Date=" + time +
                      "&X-Amz-Expires=" + std::to_string(limited.count()) + "&X-Amz-SignedHeaders=host";
  if (!request.query.empty()) query.append("&").append(request.query);
  std::string canonical(request.method);
  canonical.append("\n").append(request.path).append("\n").append(query);
  canonical.append("\nhost:").append(request.host).append("\n\nhost\nUNSIGNED-PAYLOAD");
  const auto to_sign = std::string(algorithm) + "\n" + time + "\n" + scope + "\n" + crypto::sha256_hex(canonical);
  return query + "&X-Amz-Signature=" + crypto::hex(crypto::hmac_sha256(signing_key(key, date), to_sign));
}

}  // namespace bucket
