// What must hold for any bytes a stranger sends. Each aborts when it does not. Run by libFuzzer (./dev fuzz) and, over
// the seeds, by every test run.
#pragma once

#include <string_view>

namespace fuzz {

// A head that the strict check accepts is accepted at exactly that size and framed by Boost.Beast in the same way.
void request_head(std::string_view bytes);
// A chunked body comes out the same however its bytes are cut, and Boost.Beast reads it in the same way.
void chunks(std::string_view bytes);
// A JSON body is either read within its bounds or refused with a sentence; what was read is valid UTF-8, and writing it
// and reading it again changes nothing.
void fields(std::string_view bytes);

}  // namespace fuzz
