// What a group of batches writes, as calls: one for each family, kind of change and kind of scope. Rows that batches
// with a tenant's scope write go through functions that get the scope of each row.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "store/committer.h"
#include "store/postgres/statements.h"

namespace store::postgres {

inline bool is_counted(Write::Kind kind) { return kind == Write::Kind::add || kind == Write::Kind::raise; }

// `encoded` keeps values that the calls refer to; so must the batches. Throws OutOfScope.
std::vector<Call> writes_of(const std::vector<const Batch*>&, const std::vector<Committer::Counted>&,
                            const std::vector<FamilyStatements>&, std::deque<std::string>& encoded);

}  // namespace store::postgres
