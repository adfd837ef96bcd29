#include "appliance/identity/accounts/breached_passwords.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/settings/settings.h"

namespace accounts {

namespace {

constexpr std::size_t hash_digits = 40;
constexpr std::size_t longest_line = 64;       // a hash, a colon, a count and the line's end
constexpr std::uint64_t small_file = 8 << 20;  // is checked line by line
constexpr std::uint64_t places = 4'096;        // at which a larger one is checked

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'f' ? char(c - 'a' + 'A') : c; });
  return text;
}

// In upper case; empty: the line is not one of such a list.
std::string hash_of_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const bool has_end = line.size() == hash_digits || (line.size() > hash_digits && line[hash_digits] == ':');
  if (!has_end) return {};
  auto hash = upper_case(std::string(line.substr(0, hash_digits)));
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
  return std::ranges::all_of(hash, is_digit) ? hash : std::string();
}

std::string sha1_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
    throw std::runtime_error("OpenSSL: SHA-1 is not available");
  return upper_case(crypto::hex({reinterpret_cast<const char*>(digest.data()), size}));
}

}  // namespace

BreachedPasswords::BreachedPasswords(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!file_)
    throw agentbox::UsageError("BREACHED_PASSWORDS: cannot open " + path.string() + ": " + std::strerror(errno));
  struct stat about {};
  if (::fstat(file_.get(), &about) != 0 || !S_ISREG(about.st_mode))
    throw agentbox::UsageError("BREACHED_PASSWORDS: " + path.string() + " is not a regular file");
  size_ = static_cast<std::uint64_t>(about.st_size);
  if (size_ == 0) throw agentbox::UsageError("BREACHED_PASSWORDS: " + path.string() + " is empty");
  check_order();
}

std::string BreachedPasswords::read(std::uint64_t offset, std::size_t size) const {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, size_ - std::min(offset, size_))), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const auto got =
        ::pread(file_.get(), bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("BREACHED_PASSWORDS: cannot read " + path_.string());
    filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string BreachedPasswords::hash_from(std::uint64_t offset) const {
  const std::uint64_t before = offset == 0 ? 0 : offset - 1;  // a line begins at the offset if one ends just before
  const auto bytes = read(before, 2 * longest_line);
  std::string_view rest = bytes;
  if (offset != 0) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos && before + rest.size() < size_)
      throw agentbox::UsageError("BREACHED_PASSWORDS: " + path_.string() +
                                 " is no list of SHA-1 hashes, one a line, at byte " + std::to_string(before));
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  if (rest.empty()) return {};
  auto hash = hash_of_line(rest.substr(0, rest.find('\n')));
  if (hash.empty())
    throw agentbox::UsageError("BREACHED_PASSWORDS: " + path_.string() +
                               " is no list of SHA-1 hashes, one a line, after byte " + std::to_string(offset));
  return hash;
}

void BreachedPasswords::check_order() const {
  const std::uint64_t step = size_ <= small_file ? hash_digits + 1 : size_ / places;
  std::string previous;
  for (std::uint64_t offset = 0; offset < size_; offset += step) {
    auto hash = hash_from(offset);
    if (hash.empty()) break;
    if (hash < previous)
      throw agentbox::UsageError("BREACHED_PASSWORDS: " + path_.string() + " is not sorted by hash, after byte " +
                                 std::to_string(offset));
    previous = std::move(hash);
  }
}

bool BreachedPasswords::contains(std::string_view password) const {
  const auto wanted = sha1_hex(password);
  // The line of the hash, if there is one, is the first that begins at or after an offset within [low, high].
  std::uint64_t low = 0, high = size_;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    const auto hash = hash_from(middle);
    if (hash == wanted) return true;
    if (hash.empty() || hash > wanted)
      high = middle;
    else
      low = middle + 1;
  }
  return false;
}

}  // namespace accounts
