// Extractive text ranking: picks the sentences of a text that carry most of it. Deterministic, without a model, linear
// in the text's length; text beyond 128 KB is not looked at.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ai {

struct Sentence {
  std::string_view text;  // points into the text given
  double score = 0;       // higher carries more; 0 when nothing of it counts
  bool relevant = false;  // shares a word that counts with the query
};

// At most 2,000 sentences in the order of the text: split after '.', '!', '?' before white space, and at line ends.
// Scored by how often their words occur in the whole text, common English words left out; words of `query` weigh most.
std::vector<Sentence> score_sentences(std::string_view text, std::string_view query = {});

// The best `count` sentences, in the order of the text. Equal scores: the earlier one. Repeated sentences count once.
std::vector<std::string> best_sentences(std::string_view text, std::size_t count, std::string_view query = {});

// Lower-case ASCII; other bytes are kept, so UTF-8 stays UTF-8.
std::string lower_case(std::string_view text);
std::string_view trimmed(std::string_view text);
// At most `bytes` of text, cut between characters.
std::string_view cut(std::string_view text, std::size_t bytes);

}  // namespace ai
