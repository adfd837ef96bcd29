#include "appliance/foundation/crypto/cose.h"

#include <map>

namespace crypto {

namespace {

// Labels of RFC 9052, section 7.1, and of the key types' own parameters. Those of EC2 and RSA overlap.
constexpr std::int64_t key_type_label = 1, algorithm_label = 3, curve_label = -1, x_label = -2, y_label = -3,
                       modulus_label = -1, exponent_label = -2;
constexpr std::int64_t ec2_key_type = 2, rsa_key_type = 3, p256_curve = 1, es256 = cose_algorithms[0],
                       rs256 = cose_algorithms[1];
constexpr std::uint64_t max_cose_fields = 8;

struct Fields {
  std::map<std::int64_t, std::int64_t> numbers;
  std::map<std::int64_t, std::string_view> strings;

  bool says(std::int64_t label, std::int64_t value) const {
    const auto found = numbers.find(label);
    return found != numbers.end() && found->second == value;
  }
  std::string_view string(std::int64_t label) const {
    const auto found = strings.find(label);
    return found != strings.end() ? found->second : std::string_view();
  }
};

bool holds_numbers(std::int64_t label, const Fields& read) {
  return label == key_type_label || label == algorithm_label ||
         (label == curve_label && read.says(key_type_label, ec2_key_type));
}

// Canonical order puts the key type first. Only the fields of the two types are accepted: -4 and below would be a
// private part.
std::optional<Fields> read_fields(CborReader& reader) {
  const auto count = reader.map();
  if (!count || *count > max_cose_fields) return std::nullopt;
  Fields read;
  for (std::uint64_t field = 0; field < *count; ++field) {
    const auto label = reader.integer();
    if (!label || *label < y_label) return std::nullopt;
    if (holds_numbers(*label, read)) {
      const auto value = reader.integer();
      if (!value || !read.numbers.emplace(*label, *value).second) return std::nullopt;
    } else {
      const auto value = reader.string();
      if (!value || !read.strings.emplace(*label, *value).second) return std::nullopt;
    }
  }
  return read;
}

}  // namespace

std::int64_t cose_algorithm(SignatureAlgorithm named) { return named == SignatureAlgorithm::ES256 ? es256 : rs256; }

std::optional<VerificationKey> read_cose_key(CborReader& reader) {
  const auto key = read_fields(reader);
  if (!key) return std::nullopt;
  if (key->says(key_type_label, ec2_key_type) && key->says(algorithm_label, es256) &&
      key->says(curve_label, p256_curve))
    return VerificationKey::p256({}, key->string(x_label), key->string(y_label));
  if (key->says(key_type_label, rsa_key_type) && key->says(algorithm_label, rs256))
    return VerificationKey::rsa({}, key->string(modulus_label), key->string(exponent_label));
  return std::nullopt;
}

}  // namespace crypto
