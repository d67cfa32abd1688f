// Room `value`: values.
//
// May include: nothing of ours.
#pragma once
