// All tables of a store by their numbers. A number used twice would mix the index entries of two tables, and a family
// used twice their records: both are refused when the store is opened.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/table.h"

namespace store {

class TableRegister {
 public:
  struct Row {
    std::uint8_t number;
    std::string family;
    Access access;
    bool has_owner;  // its records belong to users; else to the box
  };

  // Throws std::logic_error, which names both tables, when two use the same number or family, and when one uses a
  // number or family of the store itself.
  explicit TableRegister(std::vector<TableInfo>);

  const std::vector<TableInfo>& tables() const { return tables_; }
  // What the engine is to be opened with: the store's own families, then one for each table, in their order.
  std::vector<FamilySpec> families() const;
  // By number.
  std::vector<Row> rows() const;

 private:
  std::vector<TableInfo> tables_;
};

// The rows as a Markdown table for docs/architecture.md.
std::string markdown(const std::vector<TableRegister::Row>&);

}  // namespace store
