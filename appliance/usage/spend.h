// What may still be spent: counters of tokens and money that hold what was used and what is reserved, so that a bound
// on one is a bound on both.
//
// Counter names: spend/<period>/<slice>/<figure>. The slice is all (without calls on users' own provider keys),
// agent/<id> or key/<id>; the figure is tokens or cost (Money::units).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/usage/period.h"
#include "appliance/usage/records.h"
#include "store/store.h"

namespace usage {

enum class Figure { tokens, cost };

// A bound on one counter, and what to tell who meets it.
struct Limit {
  std::string counter;
  std::int64_t most = 0;  // tokens, or Money::units
  Figure figure = Figure::tokens;
  std::string name;  // whoever made the limit knows it by this again
};

std::string spend_counter(const Period&, std::string_view slice, Figure);
// The slices a call counts in.
std::vector<std::string> spend_slices(const Call&);

// Adds the tokens and the cost of `call` to its counters, those of `limits` within their bounds.
void spend(store::Change&, const Call& call, const std::vector<Limit>& limits = {});

}  // namespace usage
