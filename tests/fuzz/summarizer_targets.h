// What must hold for any page a stranger serves. Each aborts when it does not. Run by libFuzzer (./dev fuzz) and, over
// the seeds, by every test run.
#pragma once

#include <string_view>

namespace fuzz {

// Decoded, capped, parsed and extracted within every bound of the contract; absolute addresses are http or https.
void page(std::string_view bytes);
// Any bytes in any encoding become valid UTF-8. The first line names the Content-Type.
void charset(std::string_view bytes);
// What resolves is a URL that resolves to itself. The first line is the page's address.
void url(std::string_view bytes);

}  // namespace fuzz
