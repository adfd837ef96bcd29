// A parsed page.
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

// Owns the tree and its text. All memory is in one arena and freed with it, so gumbo's recursive destruction never
// runs, and a parse over its budget can be abandoned at any point.
class Tree {
 public:
  // `html` must be the output of guarded(). Fails with Kind::internal and a sentence if the budget is exceeded.
  static web::Result<Tree> parse(std::string html, const Budget& budget = {});

  Tree(Tree&&) noexcept;
  Tree& operator=(Tree&&) noexcept;
  ~Tree();

  const GumboNode& root() const;  // the <html> element

 private:
  struct Parse;
  explicit Tree(std::unique_ptr<Parse>);
  std::unique_ptr<Parse> parse_;
};

}  // namespace summarizer
