// How many tokens a model makes of a text. No model's tokenizer is at hand, so texts are counted by
// models::TokenCounter, whose counts are above those of common tokenizers for nearly all texts, and the counts are
// corrected by what the model reports of its prompts.
#pragma once

#include <cstdint>

#include "appliance/models/chat.h"

namespace agent_process {

// Of a text, at most: it bounds the bytes of so many tokens.
inline constexpr std::int64_t bytes_a_token = 4;
// A message, with the reasoning that is sent back.
std::int64_t context_tokens(const models::Message&);
std::int64_t context_tokens(const models::ChatRequest&);

// Of one model.
class TokenScale {
 public:
  // The model reports that a prompt had `reported` tokens. A larger share than known counts at once, a smaller one by a
  // quarter. Short prompts say little.
  void learn(std::int64_t counted, std::int64_t reported);
  // A prompt was refused because it had more than `most` tokens.
  void learn_refusal(std::int64_t counted, std::int64_t most);

  // The count that stands for `tokens` of the model, with a margin.
  std::int64_t counted(std::int64_t tokens) const {
    return static_cast<std::int64_t>(static_cast<double>(tokens) / (factor_ * margin));
  }
  double factor() const { return factor_; }

 private:
  static constexpr double margin = 1.05;
  double factor_ = 1;  // the model's tokens for one that is counted
};

}  // namespace agent_process
