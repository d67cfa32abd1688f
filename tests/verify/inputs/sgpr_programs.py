"""Random machine code of gfx1201 in which VALU and SALU read and write the same few SGPRs, as a MIR file: LLVM puts the
waits. Four blocks: a branch, and a loop around most of it.

    python3 sgpr_programs.py 40 > programs.mir
    llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1201 -start-before=amdgpu-wait-sgpr-hazards -filetype=obj programs.mir
"""
import random
import sys

REGISTERS = range(4, 16)


def statement(choose):
    s, t, u = (choose.choice(REGISTERS) for _ in range(3))
    pair = choose.choice(range(4, 16, 2))
    v, w = choose.randrange(8), choose.randrange(8)
    return choose.choice([
        f"$vgpr{v} = V_ADD_U32_e32 $sgpr{s}, $vgpr{w}, implicit $exec",
        f"$vgpr{v} = V_ADD_U32_e32 $sgpr{s}, $vgpr{w}, implicit $exec",
        f"$sgpr{s} = S_ADD_I32 $sgpr{t}, $sgpr{u}, implicit-def $scc",
        f"$sgpr{s} = S_MOV_B32 {v}",
        f"$sgpr{s} = V_READFIRSTLANE_B32 $vgpr{v}, implicit $exec",
        f"$sgpr{s} = V_CMP_EQ_U32_e64 $vgpr{v}, $vgpr{w}, implicit $exec",
        f"$vgpr{v} = V_CNDMASK_B32_e64 0, $vgpr{w}, 0, $vgpr{v}, $sgpr{s}, implicit $exec",
        f"$vcc_lo = S_AND_B32 $sgpr{s}, $sgpr{t}, implicit-def $scc",
        f"$vcc_lo = V_CMP_LT_I32_e64 $vgpr{v}, $vgpr{w}, implicit $exec",
        f"$vgpr{v} = V_CNDMASK_B32_e32 $vgpr{w}, $vgpr{v}, implicit $vcc, implicit $exec",
        f"$sgpr{pair}_sgpr{pair + 1} = S_AND_B64 $sgpr{pair}_sgpr{pair + 1}, $sgpr{pair}_sgpr{pair + 1}, "
        f"implicit-def $scc",
        f"$sgpr20 = S_LOAD_DWORD_IMM $sgpr0_sgpr1, {4 * v}, 0",
        f"$vgpr20 = GLOBAL_LOAD_DWORD_SADDR $sgpr0_sgpr1, $vgpr{w}, 0, 0, implicit $exec",
        f"S_CMP_EQ_U32 $sgpr{s}, $sgpr{t}, implicit-def $scc",
    ])


def program(choose, name):
    block = lambda: "".join(f"    {statement(choose)}\n" for _ in range(choose.randrange(4, 14)))
    return (f"---\nname: {name}\ntracksRegLiveness: false\nbody: |\n"
            f"  bb.0:\n    successors: %bb.1, %bb.2\n{block()}    S_CBRANCH_SCC1 %bb.2, implicit $scc\n"
            f"  bb.1:\n    successors: %bb.2\n{block()}"
            f"  bb.2:\n    successors: %bb.0, %bb.3\n{block()}    S_CBRANCH_SCC0 %bb.0, implicit $scc\n"
            f"  bb.3:\n{block()}    S_ENDPGM 0\n...\n")


def main():
    count, choose = int(sys.argv[1]), random.Random(1201)
    names = [f"program{k}" for k in range(count)]
    kernels = "\n".join(f"  define amdgpu_kernel void @{name}() {{ ret void }}" for name in names)
    print(f"--- |\n  target triple = \"amdgcn-amd-amdhsa\"\n{kernels}\n...")
    print("".join(program(choose, name) for name in names), end="")


main()
