// libgit2 1.5 leaks 20 KB each time a regular expression does not match, and matches several for each entry of
// .gitmodules, whose content is not trusted. The linker replaces its function with this one
// (--wrap=git_regexp_match in cmake/dependencies.cmake).
#define PCRE2_CODE_UNIT_WIDTH 8
#include <git2/errors.h>
#include <pcre2.h>

#include <cstring>
#include <memory>

namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

// Bounds the time of one match.
constexpr std::uint32_t max_steps = 100'000;

}  // namespace

// 0 when it matches, GIT_ENOTFOUND when it does not. `compiled` is libgit2's git_regexp.
// NOLINTNEXTLINE(bugprone-reserved-identifier): name given by the linker
extern "C" int __wrap_git_regexp_match(pcre2_code* const* compiled, const char* text) {
  const std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>> data(pcre2_match_data_create(1, nullptr));
  const std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>> bounds(
      pcre2_match_context_create(nullptr));
  if (!data || !bounds) return GIT_ERROR;
  pcre2_set_match_limit(bounds.get(), max_steps);
  const int matched =
      pcre2_match(*compiled, reinterpret_cast<PCRE2_SPTR>(text), std::strlen(text), 0, 0, data.get(), bounds.get());
  if (matched >= 0) return GIT_OK;
  return matched == PCRE2_ERROR_NOMATCH ? GIT_ENOTFOUND : GIT_EINVALIDSPEC;
}
