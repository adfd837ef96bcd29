#include "appliance/box/resident_memory.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

// jemalloc's; sanitized programs do not link it.
extern "C" int mallctl(const char*, void*, std::size_t*, void*, std::size_t) __attribute__((weak));

namespace agentbox {

namespace {

// Read-only pages equal the file. (The loader writes relocations to writable pages only.)
int give_back(dl_phdr_info* object, std::size_t, void* page_size) {
  const auto page = *static_cast<const std::uintptr_t*>(page_size);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) & ~(page - 1);
    const std::uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader reports addresses as integers
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void give_back_program_pages() noexcept {
  auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  ::dl_iterate_phdr(give_back, &page_size);
}

void give_back_freed_memory() noexcept {
  bool is_on = true;
  if (mallctl) mallctl("background_thread", nullptr, nullptr, &is_on, sizeof is_on);
}

}  // namespace agentbox
