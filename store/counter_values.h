// A cache of counters for their only writer, which need not read again what it wrote or read lately.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "store/counter_fields.h"

namespace store {

// Of one family. For one thread at a time.
class CounterValues {
 public:
  // Null: not cached. Valid until the next call of put.
  const CounterFields* find(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  void put(std::string_view key, const CounterFields& value) {
    const auto found = values_.find(key);
    if (found != values_.end()) {
      found->second = value;
      return;
    }
    if (values_.size() >= most) values_.clear();  // those in use come back soon
    values_.emplace(key, value);
  }

 private:
  static constexpr std::size_t most = 16'384;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  boost::unordered_flat_map<std::string, CounterFields, Hash, std::equal_to<>> values_;
};

}  // namespace store
