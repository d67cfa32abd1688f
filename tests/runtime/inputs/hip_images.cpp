// Images in memory: HIP passes them without their size. Each image lies at the end of its mapping, before a page that
// cannot be read, so that a read beyond it ends the program. First the images as they are; then each byte of what says
// how large they are is changed.
//
//     images CODE_OBJECT IMAGE...     loads all; the first one's headers are changed byte by byte
#include "hip_check.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

struct Image {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), mapped, size;
  char *start, *bytes;
  explicit Image(const std::string &content, size_t alignment = 8) : size(content.size()) {
    mapped = (size + alignment + page - 1) / page * page;
    start =
        static_cast<char *>(mmap(nullptr, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT(start != MAP_FAILED);
    EXPECT(mprotect(start + mapped, page, PROT_NONE) == 0);
    bytes = start + (mapped - size) / alignment * alignment;
    std::memcpy(bytes, content.data(), size);
  }
  ~Image() { munmap(start, mapped + page); }
  hipError_t load() const {
    hipModule_t module;
    hipError_t error = hipModuleLoadData(&module, bytes);
    if (error == hipSuccess)
      HIP(hipModuleUnload(module));
    return error;
  }
};

static std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
template <class T> static T field(const std::string &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

static unsigned long loads = 0, refusals = 0;

/// Each byte of [from, from + count) in three ways.
static void flip(Image &image, size_t from, size_t count) {
  for (size_t at = from; at < from + count; ++at)
    for (unsigned char bits : {0x01, 0x80, 0xff}) {
      image.bytes[at] ^= static_cast<char>(bits);
      hipError_t error = image.load();
      EXPECT(error == hipSuccess || error == hipErrorInvalidImage || error == hipErrorNoBinaryForGpu);
      ++(error == hipSuccess ? loads : refusals);
      image.bytes[at] ^= static_cast<char>(bits);
    }
}

int main(int count, char **paths) {
  for (int i = 1; i < count; ++i) {
    const std::string content = read(paths[i]);
    EXPECT(!content.empty());
    HIP(Image(content).load());
    hipModule_t module;
    HIP(hipModuleLoad(&module, paths[i]));
    HIP(hipModuleUnload(module));
    // Cut off, what is left ends before the page that cannot be read.
    for (size_t part = 1; part <= 16; ++part) { // beyond a half may be padding
      std::string cut = content.substr(0, content.size() * part / 32);
      FAILS(hipErrorInvalidImage, Image(cut, 1).load());
    }
    Image image(content);
    flip(image, 0, 512 < content.size() ? 512 : content.size());
    HIP(image.load());
  }

  const std::string elf = read(paths[1]);
  Image image(elf);
  const auto sections = field<uint64_t>(elf, 40);
  const auto sectionCount = field<uint16_t>(elf, 60);
  EXPECT(sectionCount > 3);
  flip(image, 0, 64);
  flip(image, field<uint64_t>(elf, 32), size_t(field<uint16_t>(elf, 56)) * 56);
  flip(image, sections, size_t(sectionCount) * 64);
  HIP(image.load());
  // Some of it by name: far, near the top of the address space, more than there are.
  for (uint64_t far : {uint64_t(1) << 20, uint64_t(1) << 40, ~uint64_t(0), ~uint64_t(0) - 63}) {
    std::memcpy(image.bytes + 40, &far, 8);
    FAILS(hipErrorInvalidImage, image.load());
    std::memcpy(image.bytes + 40, &sections, 8);
  }
  const uint16_t many = 0xffff;
  std::memcpy(image.bytes + 60, &many, 2);
  FAILS(hipErrorInvalidImage, image.load());
  std::memcpy(image.bytes + 60, &sectionCount, 2);
  HIP(image.load());

  FAILS(hipErrorInvalidImage, Image("\177ELF", 1).load());
  FAILS(hipErrorInvalidImage, Image("CCOB", 1).load());
  FAILS(hipErrorInvalidImage, Image("__CLANG_OFFLOAD_BUNDLE__", 1).load());
  FAILS(hipErrorInvalidImage, Image("?", 1).load());
  EXPECT(loads > 0 && refusals > loads / 4);
  std::printf("images: good\n");
}
