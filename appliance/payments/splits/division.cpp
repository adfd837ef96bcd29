#include "appliance/payments/splits/division.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace splits {

namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t units_per_percent = 1'000'000'000, hundred_percent = 100 * units_per_percent;
constexpr std::int64_t tolerance = units_per_percent / 100;
constexpr int decimals = 9;

// A percentage in units of 10^-9, from its decimal notation.
std::int64_t units_of(double share) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), share, std::chars_format::fixed, decimals);
  std::int64_t units = 0;
  if (error != std::errc()) return 0;
  for (const char c : std::string_view(text.data(), static_cast<std::size_t>(end - text.data())))
    if (c != '.') units = units * 10 + (c - '0');
  return units;
}

web::Error wrong_share(std::size_t at, std::string_view how) {
  return web::invalid("recipients[" + std::to_string(at) + "].share " + std::string(how));
}

}  // namespace

web::Result<std::vector<payments::Usdc>> divide(payments::Usdc total, const std::vector<double>& shares) {
  std::vector<payments::Usdc> amounts;
  payments::Usdc rest = total;
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < shares.size(); ++at) {
    if (!std::isfinite(shares[at]) || shares[at] <= 0 || shares[at] > 100)
      return wrong_share(at, "must be a percentage above 0, of at most 100");
    const auto units = units_of(shares[at]);
    sum += units;
    const bool is_last = at + 1 == shares.size();
    const auto rounded = static_cast<std::int64_t>(Wide{total.micro()} * units / hundred_percent);
    const auto amount = is_last ? rest : payments::Usdc::of_micro(rounded);
    if (!amount.is_positive()) return wrong_share(at, "is too small: its amount would be 0");
    rest -= amount;
    amounts.push_back(amount);
  }
  if (std::abs(sum - hundred_percent) > tolerance)
    return web::invalid("recipients must have shares that add up to 100");
  return amounts;
}

}  // namespace splits
