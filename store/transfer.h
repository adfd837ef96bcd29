// Copies a whole store from one engine to another, byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/engine.h"

namespace store {

struct FamilyDigest {
  std::string family;
  std::uint64_t records = 0;
  std::string sha256;  // hex, of all keys and values in order
  bool operator==(const FamilyDigest&) const = default;
};
// Reads every record, on one snapshot.
std::vector<FamilyDigest> digests(const Engine&, const std::vector<FamilySpec>&);

// The first family (Rows::meta_family) comes last: until it is there, the copy is not a store, and a repeated call goes
// on behind the last record of each family. Nothing may write to either meanwhile. Throws Unavailable, also when `to`
// holds a store already.
void copy_records(const Engine& from, Engine& to, const std::vector<FamilySpec>&);

}  // namespace store
