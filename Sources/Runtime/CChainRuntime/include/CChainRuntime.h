// SPDX-License-Identifier: MIT

// The C shim of the embedded part. Each header has the functions of the C file of its name.
#pragma once

#include "ChainChecksum.h"
#include "ChainClock.h"
#include "ChainFiles.h"
#include "ChainForks.h"
#include "ChainListeners.h"
#include "ChainLock.h"
#include "ChainObjects.h"
#include "ChainPeers.h"
#include "ChainProbe.h"
#include "ChainRecords.h"
#include "ChainSignals.h"
#include "ChainSockets.h"
#include "ChainSurroundings.h"
#include "ChainThreads.h"
