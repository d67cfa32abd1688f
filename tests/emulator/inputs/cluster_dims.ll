; A kernel whose metadata fixes the cluster it is launched in (C has no attribute for that).
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.cluster.workgroup.flat.id()

define amdgpu_kernel void @fixed_cluster(ptr addrspace(1) %out) #0 {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %rank = call i32 @llvm.amdgcn.cluster.workgroup.flat.id()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %rank, ptr addrspace(1) %at
  ret void
}
attributes #0 = { "amdgpu-cluster-dims"="4,1,1" }
