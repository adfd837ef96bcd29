// The statements of each family: what reads and writes its table.
#pragma once

#include <vector>

#include "store/engine.h"
#include "store/postgres/connection.h"

namespace store::postgres {

struct FamilyStatements {
  Statement get, multi_get, put, erase;
  Statement lock;  // the rows of keys until the transaction ends; returns those that were not there, now empty rows
  Statement scan[2][2], lookup[2][2];  // [has an end][backwards]; lookup: by the index, to this family's records
  // No text: the family has nothing for tenants.
  Statement tenant_get, tenant_scan, tenant_lookup, tenant_put, tenant_erase;
};

std::vector<FamilyStatements> make_statements(const std::vector<FamilySpec>&);

}  // namespace store::postgres
