// The numbers of one counter. Most counters have one field; a tally has several, which are read and written together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace store {

// Sums stop at the ends of the range instead of wrapping.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

class CounterFields {
 public:
  static constexpr std::size_t most = 13;

  CounterFields() = default;
  // Throws std::logic_error for more than `most`.
  CounterFields(std::initializer_list<std::int64_t> fields) {
    for (const auto field : fields) push_back(field);
  }
  void push_back(std::int64_t field) {
    if (count_ == most) throw std::logic_error("store: a counter has at most thirteen fields");
    fields_[count_++] = field;
  }

  std::size_t size() const { return count_; }
  // 0 for a field that does not exist.
  std::int64_t operator[](std::size_t at) const { return at < count_ ? fields_[at] : 0; }
  bool all_zero() const {
    return std::all_of(begin(), end(), [](std::int64_t field) { return field == 0; });
  }
  const std::int64_t* begin() const { return fields_.data(); }
  const std::int64_t* end() const { return fields_.data() + count_; }

  void add(const CounterFields& deltas) {
    widen(deltas.count_);
    for (std::size_t at = 0; at < deltas.count_; ++at) fields_[at] = saturating_sum(fields_[at], deltas.fields_[at]);
  }
  void raise(const CounterFields& to) {
    widen(to.count_);
    for (std::size_t at = 0; at < to.count_; ++at) fields_[at] = std::max(fields_[at], to.fields_[at]);
  }

 private:
  void widen(std::size_t count) {
    while (count_ < count) fields_[count_++] = 0;
  }

  std::array<std::int64_t, most> fields_;  // the first count_ of them
  std::size_t count_ = 0;
};

// Bytes: 'c' and each field, zigzag, in groups of seven bits, the lowest first, all but the last with the high bit set
// (LEB128). Schema 1 wrote 'v' and 8 bytes big-endian each, which is still read.
std::string encode(const CounterFields&);
// Throws Corrupt.
CounterFields decode_counter(std::string_view bytes);

}  // namespace store
