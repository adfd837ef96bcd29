// Extractive text ranking: picks the most important sentences of a text. Deterministic, without a model, linear in the
// text's length; text beyond 128 KB is ignored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace summarizer {

struct Sentence {
  std::string_view text;  // points into the text given
  double score = 0;       // higher is more important; 0 if no word counts
  bool relevant = false;  // shares a relevant word with the query
};

// At most 2,000 sentences in the order of the text: split after '.', '!', '?' before white space, after
// their ideographic forms, and at line ends.
// Scored by how often their words occur in the whole text, common English words left out; words of `query` weigh most.
std::vector<Sentence> score_sentences(std::string_view text, std::string_view query = {});

// The best `count` sentences, in the order of the text. Equal scores: the earlier one. Repeated sentences count once.
std::vector<std::string> best_sentences(std::string_view text, std::size_t count, std::string_view query = {});

}  // namespace summarizer
