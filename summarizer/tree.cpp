#include "summarizer/tree.h"

#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <iterator>

namespace summarizer {
namespace {

// The processor time of this thread, so that the limit does not depend on the load of the machine.
std::chrono::nanoseconds thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Blocks in powers of two, each after a header with its class; freed ones are reused.
class Arena {
 public:
  explicit Arena(const Budget& budget) : left_(budget.bytes), deadline_(thread_time() + budget.time) {}
  ~Arena() {
    for (std::size_t i = 0; i < chunk_count_; ++i) std::free(chunks_[i]);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Null if the budget is exhausted.
  void* allocate(std::size_t size) noexcept {
    if (++calls_ % 4096 == 0 && thread_time() > deadline_) return nullptr;
    if (size > left_) return nullptr;
    const auto class_index = unsigned(std::bit_width(std::max(size + sizeof(Header), min_block) - 1));
    if (Free* reused = free_[class_index]) {
      free_[class_index] = reused->next;
      return reused;
    }
    const std::size_t block = std::size_t{1} << class_index;
    if (block > std::size_t(end_ - next_) && !add_chunk(block)) return nullptr;
    auto* header = reinterpret_cast<Header*>(next_);
    header->class_index = class_index;
    next_ += block;
    return header + 1;
  }
  void release(void* pointer) noexcept {
    if (!pointer) return;
    auto* header = static_cast<Header*>(pointer) - 1;
    auto* block = static_cast<Free*>(pointer);
    const auto class_index = header->class_index;
    block->next = free_[class_index];
    free_[class_index] = block;
  }

  std::jmp_buf exhausted;

 private:
  struct alignas(std::max_align_t) Header {
    unsigned class_index;
  };
  struct Free {
    Free* next;
  };
  static constexpr std::size_t min_block = 2 * sizeof(Header), chunk_bytes = 256u << 10;

  bool add_chunk(std::size_t block) noexcept {
    const std::size_t size = std::max(block, chunk_bytes);
    if (size > left_) return false;
    if (chunk_count_ == std::size(chunks_)) return false;
    auto* chunk = static_cast<std::byte*>(std::malloc(size));
    if (!chunk) return false;
    chunks_[chunk_count_++] = chunk;
    left_ -= size;
    next_ = chunk;
    end_ = chunk + size;
    return true;
  }

  std::size_t left_;
  const std::chrono::nanoseconds deadline_;
  unsigned calls_ = 0;
  std::byte *next_ = nullptr, *end_ = nullptr;
  Free* free_[64] = {};
  void* chunks_[1024];
  std::size_t chunk_count_ = 0;
};

// gumbo cannot handle a failed allocation, so this jumps out of it. There are no C++ frames between here and
// parse_within.
void* allocate(void* arena, std::size_t size) {
  auto& from = *static_cast<Arena*>(arena);
  void* memory = from.allocate(size);
  if (!memory) std::longjmp(from.exhausted, 1);
  return memory;
}
void release(void* arena, void* pointer) { static_cast<Arena*>(arena)->release(pointer); }

// Null if the arena's budget was exhausted. A separate function, because the frame that longjmp returns to must not
// contain objects with destructors.
GumboOutput* parse_within(Arena& arena, const char* text, std::size_t size) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = allocate;
  options.deallocator = release;
  options.userdata = &arena;
  options.max_errors = 0;
  if (setjmp(arena.exhausted) != 0) return nullptr;
  return gumbo_parse_with_options(&options, text, size);
}

}  // namespace

struct Tree::Parse {
  Parse(std::string text, const Budget& budget) : html(std::move(text)), arena(budget) {}

  const std::string html;
  Arena arena;
  const GumboOutput* output = nullptr;
};

Tree::Tree(std::unique_ptr<Parse> parse) : parse_(std::move(parse)) {}
Tree::Tree(Tree&&) noexcept = default;
Tree& Tree::operator=(Tree&&) noexcept = default;
Tree::~Tree() = default;

web::Result<Tree> Tree::parse(std::string html, const Budget& budget) {
  auto parse = std::make_unique<Parse>(std::move(html), budget);
  parse->output = parse_within(parse->arena, parse->html.data(), parse->html.size());
  if (!parse->output) return web::internal("the page is too complex to be read");
  return Tree(std::move(parse));
}

const GumboNode& Tree::root() const { return *parse_->output->root; }

}  // namespace summarizer
