// One parsed page.
#pragma once

#include <gumbo.h>

#include <chrono>
#include <memory>
#include <string>

#include "web/result.h"

namespace summarizer {

struct Budget {
  std::size_t bytes = 160u << 20;         // for the tree
  std::chrono::milliseconds time{1'500};  // of the calling thread's processor time
};

// Owns the tree and its text. Memory comes from one arena and goes with it, so gumbo's own recursive destruction never
// runs, and a parse that would need more than its budget is abandoned where it stands.
class Tree {
 public:
  // `html` as guarded() returns it. Fails with Kind::internal and a sentence when the budget does not suffice.
  static web::Result<Tree> parse(std::string html, const Budget& budget = {});

  Tree(Tree&&) noexcept;
  ~Tree();

  const GumboNode& root() const;  // the <html> element

 private:
  struct Parse;
  explicit Tree(std::unique_ptr<Parse>);
  std::unique_ptr<Parse> parse_;
};

}  // namespace summarizer
