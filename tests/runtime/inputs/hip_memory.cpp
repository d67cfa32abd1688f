// Memory of plain HIP: pitched, three-dimensional, pinned, registered, managed, stream-ordered; and what a pointer is.
#include "hip_check.h"

#include <cstdint>
#include <cstring>

int main(int, char **argv) {
  Scale scale(argv[1]);
  // Rows of 100 floats with a pitch, from and to rows without one.
  const size_t width = 100 * sizeof(float), height = 7;
  float *pitched;
  size_t pitch = 0;
  HIP(hipMallocPitch(reinterpret_cast<void **>(&pitched), &pitch, width, height));
  EXPECT(pitch >= width && pitch % 256 == 0);
  std::vector<float> in(700), out(700, 0.0f);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  HIP(hipMemcpy2D(pitched, pitch, in.data(), width, width, height, hipMemcpyHostToDevice));
  HIP(scale.launch(reinterpret_cast<char *>(pitched) + 3 * pitch, reinterpret_cast<char *>(pitched) + 3 * pitch, 100,
                   2.0f, nullptr));
  HIP(hipMemcpy2DAsync(out.data(), width, pitched, pitch, width, height, hipMemcpyDeviceToHost, nullptr));
  for (int i = 0; i < 700; ++i)
    EXPECT(out[i] == (i / 100 == 3 ? 2.0f * in[i] + 1.0f : in[i]));
  FAILS(hipErrorInvalidPitchValue,
        hipMemcpy2D(pitched, width - 4, in.data(), width, width, height, hipMemcpyHostToDevice));
  FAILS(hipErrorInvalidValue, hipMemcpy2D(pitched, pitch, in.data(), width, width, height + 1, hipMemcpyHostToDevice));
  HIP(hipMemset2D(pitched, pitch, 0, width / 2, height));
  HIP(hipMemcpy(out.data(), pitched, width, hipMemcpyDeviceToHost));
  EXPECT(out[49] == 0.0f && out[50] == 50.0f);
  HIP(hipMemsetD32(pitched, 0x3f800000, 10));
  HIP(hipMemsetD16(reinterpret_cast<char *>(pitched) + 40, 0x4000, 2));
  HIP(hipMemcpyDtoH(out.data(), pitched, 64));
  EXPECT(out[9] == 1.0f);

  // A box of a box.
  hipPitchedPtr box;
  HIP(hipMalloc3D(&box, {16, 4, 3}));
  std::vector<char> bytes(16 * 4 * 3), back(2 * 2 * 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i);
  hipMemcpy3DParms copy = {};
  copy.srcPtr = {bytes.data(), 16, 16, 4};
  copy.dstPtr = box;
  copy.extent = {16, 4, 3};
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  copy = {};
  copy.srcPtr = box;
  copy.srcPos = {5, 1, 1};
  copy.dstPtr = {back.data(), 2, 2, 2};
  copy.extent = {2, 2, 2};
  copy.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&copy));
  for (int i = 0; i < 8; ++i)
    EXPECT(back[i] == bytes[(i / 4 + 1) * 64 + (i / 2 % 2 + 1) * 16 + i % 2 + 5]);

  // Memory of the host that kernels use: pinned, registered, managed. The same pointer everywhere.
  std::vector<float> mine(256, 3.0f);
  float *pinned, *managed, *seen;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&pinned), 1024, hipHostMallocMapped));
  HIP(hipMallocManaged(reinterpret_cast<void **>(&managed), 1024, hipMemAttachGlobal));
  HIP(hipHostRegister(mine.data(), 1024, hipHostRegisterMapped));
  FAILS(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(mine.data(), 1024, 0));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&seen), mine.data(), 0));
  HIP(scale.launch(seen, pinned, 256, 2.0f, nullptr));
  HIP(scale.launch(pinned, managed, 256, 2.0f, nullptr));
  HIP(hipDeviceSynchronize());
  EXPECT(pinned[255] == 7.0f && managed[255] == 15.0f);
  hipPointerAttribute_t a;
  HIP(hipPointerGetAttributes(&a, pitched + 1));
  EXPECT(a.memoryType == hipMemoryTypeDevice && a.device == 0 && a.hostPointer == nullptr);
  HIP(hipPointerGetAttributes(&a, pinned));
  EXPECT(a.memoryType == hipMemoryTypeHost && a.hostPointer == pinned && a.devicePointer == pinned);
  HIP(hipPointerGetAttributes(&a, managed));
  EXPECT(a.isManaged);
  HIP(hipHostUnregister(mine.data()));
  FAILS(hipErrorInvalidValue, hipPointerGetAttributes(&a, mine.data()));
  hipDeviceptr_t base;
  size_t size;
  HIP(hipMemGetAddressRange(&base, &size, pitched + 5));
  EXPECT(base == pitched && size == pitch * height);

  // In the order of a stream.
  size_t before, after, total;
  HIP(hipMemGetInfo(&before, &total));
  float *temporary;
  HIP(hipMallocAsync(reinterpret_cast<void **>(&temporary), 1 << 20, nullptr));
  HIP(hipMemGetInfo(&after, &total));
  EXPECT(before - after == 1 << 20);
  HIP(scale.launch(pinned, temporary, 256, 1.0f, nullptr));
  HIP(hipFreeAsync(temporary, nullptr));
  HIP(hipDeviceSynchronize());
  HIP(hipMemGetInfo(&after, &total));
  EXPECT(before == after);
  unsigned *gate; // what waits for it has not run
  HIP(hipHostMalloc(reinterpret_cast<void **>(&gate), sizeof *gate, 0));
  *gate = 0;
  HIP(hipMallocAsync(reinterpret_cast<void **>(&temporary), 16, nullptr));
  HIP(hipStreamWaitValue32(nullptr, gate, 1, hipStreamWaitValueEq, ~0u));
  HIP(hipFreeAsync(temporary, nullptr));
  FAILS(hipErrorInvalidValue, hipFreeAsync(temporary, nullptr));
  __atomic_store_n(gate, 1u, __ATOMIC_RELEASE);
  HIP(hipDeviceSynchronize());

  // Sizes that wrap when they are rounded.
  FAILS(hipErrorOutOfMemory, hipMallocPitch(reinterpret_cast<void **>(&temporary), &size, SIZE_MAX, 1));
  FAILS(hipErrorOutOfMemory, hipMalloc3D(&box, {SIZE_MAX, 2, 2}));

  // What cannot be copied.
  FAILS(hipErrorInvalidDevicePointer, hipMemcpy(mine.data(), in.data(), 16, hipMemcpyHostToDevice));
  FAILS(hipErrorInvalidMemcpyDirection, hipMemcpy(mine.data(), pitched, 16, hipMemcpyHostToHost));
  FAILS(hipErrorInvalidValue, hipMemset(pitched + 1, 0, pitch * height));
  HIP(hipHostFree(pinned));
  HIP(hipFree(managed));
  FAILS(hipErrorInvalidValue, hipHostFree(pitched));
  std::puts("memory: good");
}
