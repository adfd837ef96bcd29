// For sweeps: erases what has become old.
#pragma once

#include <string_view>

#include "store/store.h"

namespace store {

// Erases the records of a table whose value in this index is from `first` to `last`, a page of them in each change.
template <class R, class Id, class V>
Task<> erase_range(System system, const Global<R, Id>& table, std::string_view index, V first, V last) {
  constexpr std::size_t page = 500;
  for (std::size_t found = page; found == page;) {
    const auto old = system.find_range(table, index, first, last, page);
    found = old.size();
    auto change = system.change();
    for (const R& record : old)
      if (const auto row = system.get(table, record.*table.id)) change.erase(table, *row);
    co_await change.commit();
  }
}

}  // namespace store
