#pragma once

#include <string_view>

namespace accounts {

// True for the passwords every guessing list starts with: those of at least eight characters among the three thousand
// most used ones of published leaks, without regard to ASCII case.
bool is_common_password(std::string_view password);

}  // namespace accounts
