// What Claude's models differ in, by their names.
#pragma once

#include <string_view>

namespace models::anthropic {

// A model's generation, such as 4.5 as 405. Unknown names count as 4.5, the last that takes all older parameters.
int generation_of(std::string_view model);

// Thinking with a budget: from 3.7 on, until it was replaced by adaptive thinking with an effort in 4.6.
constexpr bool thinks_by_budget(int generation) { return generation >= 307 && generation < 406; }
constexpr bool thinks_adaptively(int generation) { return generation >= 406; }
// Refuses temperature, top_p and top_k.
constexpr bool refuses_sampling(int generation) { return generation >= 407; }

}  // namespace models::anthropic
