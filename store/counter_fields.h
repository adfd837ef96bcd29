// The numbers of one counter. Most counters have one; a tally has several, which are read and written together.
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
  static constexpr std::size_t most = 12;

  CounterFields() = default;
  // Throws std::logic_error for more than `most`.
  CounterFields(std::initializer_list<std::int64_t> figures) {
    for (const auto figure : figures) push_back(figure);
  }
  void push_back(std::int64_t figure) {
    if (count_ == most) throw std::logic_error("store: a counter has at most twelve figures");
    figures_[count_++] = figure;
  }

  std::size_t size() const { return count_; }
  // One that is not there is 0.
  std::int64_t operator[](std::size_t at) const { return at < count_ ? figures_[at] : 0; }
  bool all_zero() const {
    return std::all_of(begin(), end(), [](std::int64_t figure) { return figure == 0; });
  }
  const std::int64_t* begin() const { return figures_.data(); }
  const std::int64_t* end() const { return figures_.data() + count_; }

  void add(const CounterFields& deltas) {
    widen(deltas.count_);
    for (std::size_t at = 0; at < deltas.count_; ++at) figures_[at] = saturating_sum(figures_[at], deltas.figures_[at]);
  }
  void raise(const CounterFields& to) {
    widen(to.count_);
    for (std::size_t at = 0; at < to.count_; ++at) figures_[at] = std::max(figures_[at], to.figures_[at]);
  }

 private:
  void widen(std::size_t count) {
    while (count_ < count) figures_[count_++] = 0;
  }

  std::array<std::int64_t, most> figures_;  // the first count_ of them
  std::size_t count_ = 0;
};

// Bytes: 'c' and each figure, zigzag, in groups of seven bits, the lowest first, all but the last with the high bit set
// (LEB128). Earlier boxes wrote 'v' and 8 bytes big-endian each, which are read, too.
std::string encode(const CounterFields&);
// Throws Corrupt.
CounterFields decode_counter(std::string_view bytes);

}  // namespace store
