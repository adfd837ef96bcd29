#pragma once

#include <string_view>

#include "summarizer/extract.h"
#include "summarizer/guard.h"

namespace summarizer {

// What summarize() reads from a tree, read from the page as it passes the guard: a tree of all of its text takes ten
// times as long. `html` must be valid UTF-8. Never fails.
Summary outline_of(std::string_view html, const Caps& caps = {});

}  // namespace summarizer
