// Counts and random records of a store, to compare a copy with: one that opens and has sound checksums may still be an
// empty one, or of another day.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/engine.h"

namespace store {

struct Census {
  struct Sample {
    Family family;
    std::string key, digest;  // SHA-256 of the value
  };
  std::uint64_t position = 0;         // Engine::position when it was taken
  std::uint64_t changes = 0;          // how many records were written since, by leave_out_changes()
  std::vector<std::uint64_t> counts;  // of keys, by family
  std::vector<Sample> samples;
};

// Of all keys, on one snapshot. Samples are drawn evenly from the families from `first_sampled` on, at most so many.
Census take_census(const Engine&, const std::vector<FamilySpec>&, Family first_sampled, std::size_t samples);

// Drops the samples whose records have another value by now, and counts the changes.
void leave_out_changes(const Engine&, Census&);

// SHA-256, 32 raw bytes.
std::string sample_digest(std::string_view value);

struct Difference {
  std::string what, where;  // a sentence; the family
};
// Of a copy that was made between take_census() and leave_out_changes(). A count may differ by the number of changes
// between the two, and no more.
std::vector<Difference> differences(const Engine& copy, const std::vector<FamilySpec>&, const Census&);

}  // namespace store
