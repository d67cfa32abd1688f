// Room `formats`: number formats and arithmetic that hardware has and C++ has not.
//
// May include: nothing of ours.
#pragma once
