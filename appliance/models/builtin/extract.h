// Words and sentences: the summarizer's ranking, and helpers for text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "summarizer/sentences.h"
#include "summarizer/text.h"

namespace models {

using summarizer::best_sentences;
using summarizer::score_sentences;
using summarizer::Sentence;
using summarizer::trimmed;

// Lower-case ASCII; other bytes are kept, so UTF-8 stays UTF-8.
std::string lower_case(std::string_view text);
// At most `bytes` of text, cut between characters.
std::string_view cut(std::string_view text, std::size_t bytes);

}  // namespace models
